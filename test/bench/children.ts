/** The processes beside the bench: servers that must not share its processor time, and runs whose memory is measured. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export interface Child<Greeting> {
  /** The first message that the process sent. */
  readonly greeting: Greeting
  /** Sends a message and returns the next one of the process. Throws when it ends before that. */
  ask<Answer>(message: object): Promise<Answer>
  stop(): Promise<void>
}

/** Starts a program of this folder and waits for its first message. A program in plain JavaScript runs on Node alone, with `flags`. */
export async function startChild<Greeting>(
  program: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<Child<Greeting>> {
  const child = fork(new URL(program, import.meta.url), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...(program.endsWith('.mjs') ? { execArgv: [...flags] } : {}),
  })
  const greeting = await nextMessage<Greeting>(child, program)
  return {
    greeting,
    ask: <Answer>(message: object) => {
      const answer = nextMessage<Answer>(child, program)
      child.send(message)
      return answer
    },
    stop: () => stopChild(child),
  }
}

async function nextMessage<Message>(child: ChildProcess, program: string): Promise<Message> {
  const listening = new AbortController()
  const { signal } = listening
  const failure = async (): Promise<never> => {
    const [code] = (await once(child, 'exit', { signal })) as [number | null]
    throw new Error(`${program} ended with ${code}`)
  }
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), failure()])
    return message as Message
  } finally {
    listening.abort()
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  if (child.connected) child.disconnect()
  await exited
}
