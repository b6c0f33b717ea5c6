/** Answers of handlers: success, refusals, and validation errors as Django REST framework shapes them. */

export interface Answer {
  readonly status: number
  /** Left out for an answer without a body. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export function answerWith(body: unknown, status = 200): Answer {
  return { status, body }
}

/** Spec: error bodies are not shown; `detail` is the key of Django REST framework where no field is to blame. */
export function refuseWith(status: number, detail: string, headers: Answer['headers'] = {}): Answer {
  return { status, body: { detail }, headers }
}

/** Also for a resource of another party, so that a caller cannot learn what exists. */
export function refuseNotFound(): Answer {
  return refuseWith(404, 'Not found.')
}

/** A refusal that is about the state of the resource and not about a field. */
export function refuseState(message: string): Answer {
  return { status: 400, body: { non_field_errors: [message] } }
}

export function refuseField(path: FieldPath, message: string): Answer {
  const errors = gatherErrors()
  errors.add(path, message)
  return errors.toAnswer()
}

export type FieldPath = readonly (string | number)[]

/**
 * Collects all errors, to report them at once: `{"field": ["message"]}`, nested like the body. In a list of objects `{}` is
 * an object without errors; a list of plain values becomes `{"1": ["message"]}`.
 */
export type FieldErrors = ReturnType<typeof gatherErrors>

interface ErrorNode {
  readonly messages: string[]
  readonly children: Map<string | number, ErrorNode>
}

export function gatherErrors() {
  const root = createNode()
  return {
    add: (path: FieldPath, message: string): void => {
      let node = root
      for (const step of path) {
        const child = node.children.get(step) ?? createNode()
        node.children.set(step, child)
        node = child
      }
      node.messages.push(message)
    },
    hasErrors: (): boolean => root.messages.length > 0 || root.children.size > 0,
    toAnswer: (): Answer => ({
      status: 400,
      body: root.children.size === 0 ? { non_field_errors: root.messages } : toBody(root),
    }),
  }
}

function createNode(): ErrorNode {
  return { messages: [], children: new Map() }
}

function toBody({ messages, children }: ErrorNode): unknown {
  if (children.size === 0) return messages
  const entries = [...children]
  const indexes = entries.map(([step]) => step).filter((step) => typeof step === 'number')
  const plainItems = entries.every(([, child]) => child.children.size === 0)
  if (indexes.length === entries.length && !plainItems) {
    const length = indexes.reduce((largest, index) => Math.max(largest, index), 0) + 1
    return Array.from({ length }, (_, index) => itemBody(children.get(index)))
  }
  const fields = entries.map(([step, child]) => [String(step), toBody(child)] as const)
  return Object.fromEntries(messages.length === 0 ? fields : [['non_field_errors', messages], ...fields])
}

function itemBody(item: ErrorNode | undefined): unknown {
  if (item === undefined) return {}
  return item.children.size === 0 ? { non_field_errors: item.messages } : toBody(item)
}
