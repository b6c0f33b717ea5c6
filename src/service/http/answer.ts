/** What a handler gives back: a status and a body, in the shape the whole service uses. */

export interface Answer {
  readonly status: number
  /** Left out for an answer without a body. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export function answered(body: unknown, status = 200): Answer {
  return { status, body }
}

/** Spec: error bodies are not shown; `detail` is what Django REST framework says where no field is to blame. */
export function refused(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body: { detail }, headers }
}

/** Also for a resource of another party, so that nobody learns what exists. */
export function notFound(): Answer {
  return refused(404, 'Not found.')
}

/** A refusal that is about the state of the resource and not about a field. */
export function wrongState(message: string): Answer {
  return { status: 400, body: { non_field_errors: [message] } }
}
