/** The API with a stopwatch: how long each call takes and how it ends, by its endpoint. */
import type { Api } from '../domain/api.ts'

export type Called = (endpoint: string, outcome: string, seconds: number) => void

export function timedApi(api: Api, called: Called): Api {
  const timed = async <Result>(
    endpoint: string,
    work: () => Promise<Result>,
    outcomeOf: (result: Result) => string,
  ): Promise<Result> => {
    const began = performance.now()
    let outcome = 'failed'
    try {
      const result = await work()
      outcome = outcomeOf(result)
      return result
    } finally {
      called(endpoint, outcome, (performance.now() - began) / 1000)
    }
  }
  return {
    ...api,
    send: (call, permit) =>
      timed(
        call.endpoint,
        () => api.send(call, permit),
        (answer) => {
          if (answer.certainty !== 'answered') return answer.certainty
          return answer.status < 400 ? 'ok' : 'refused'
        },
      ),
    get: (call) =>
      timed(
        call.endpoint,
        () => api.get(call),
        () => 'ok',
      ),
    document: (call) =>
      timed(
        call.endpoint,
        () => api.document(call),
        (answer) => (answer.made ? 'ok' : 'refused'),
      ),
    // A page of a list comes when somebody asks for it: the time between is not the API's.
    list: (call) => timedPages(api.list(call), (outcome, seconds) => called(call.endpoint, outcome, seconds)),
  }
}

async function* timedPages<Page>(
  pages: AsyncIterable<Page>,
  called: (outcome: string, seconds: number) => void,
): AsyncGenerator<Page> {
  const iterator = pages[Symbol.asyncIterator]()
  try {
    for (;;) {
      const began = performance.now()
      let outcome = 'failed'
      let next: IteratorResult<Page>
      try {
        next = await iterator.next()
        outcome = 'ok'
      } finally {
        called(outcome, (performance.now() - began) / 1000)
      }
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}
