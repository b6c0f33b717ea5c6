/** Measures how long each API call takes and how it ends, by endpoint. */
import type { Api } from '../domain/api.ts'
import type { Metrics } from './metrics.ts'

export function measureApi(api: Api, called: Metrics['recordCall']): Api {
  const timed = async <Result>(
    endpoint: string,
    work: () => Promise<Result>,
    outcomeOf: (result: Result) => string = () => 'ok',
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
    send: (call, permit) => {
      const outcomeOf = (answer: Awaited<ReturnType<Api['send']>>) => {
        if (answer.certainty !== 'answered') return answer.certainty
        return answer.status < 400 ? 'ok' : 'refused'
      }
      return timed(call.endpoint, () => api.send(call, permit), outcomeOf)
    },
    get: (call) => timed(call.endpoint, () => api.get(call)),
    document: (call) => {
      const outcomeOf = ({ made }: { readonly made: boolean }) => (made ? 'ok' : 'refused')
      return timed(call.endpoint, () => api.document(call), outcomeOf)
    },
    // A page of a list comes when the caller asks for it: the time between is not the API's.
    async *list(call) {
      const iterator = api.list(call)[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await timed(call.endpoint, () => iterator.next())
          if (next.done === true) return
          yield next.value
        }
      } finally {
        await iterator.return?.()
      }
    },
  }
}
