/** Refusals of a body, shaped like the body itself, as Django REST framework does. */
import type { Answer } from './answer.ts'

export type FieldPath = readonly (string | number)[]

/**
 * Gathers what is wrong, so that all of it is told at once. `{"field": ["message"]}`, nested like the body; a list of
 * objects becomes a list in which `{}` is an object that is fine, a list of plain values becomes `{"1": ["message"]}`.
 */
export interface FieldErrors {
  add(path: FieldPath, message: string): void
  any(): boolean
  answer(): Answer
}

interface Node {
  readonly messages: string[]
  readonly children: Map<string | number, Node>
}

export function createFieldErrors(): FieldErrors {
  const root = newNode()
  return {
    add: (path, message) => {
      let node = root
      for (const step of path) {
        const child = node.children.get(step) ?? newNode()
        node.children.set(step, child)
        node = child
      }
      node.messages.push(message)
    },
    any: () => root.messages.length > 0 || root.children.size > 0,
    answer: () => ({
      status: 400,
      body: root.children.size === 0 ? { non_field_errors: root.messages } : toBody(root),
    }),
  }
}

function newNode(): Node {
  return { messages: [], children: new Map() }
}

function toBody({ messages, children }: Node): unknown {
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

function itemBody(item: Node | undefined): unknown {
  if (item === undefined) return {}
  return item.children.size === 0 ? { non_field_errors: item.messages } : toBody(item)
}
