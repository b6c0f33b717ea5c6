/** The processes beside the bench: servers that must not share its processor time, and runs whose memory is measured. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export interface Child<Greeting> {
  /** The first message that the process sent. */
  readonly greeting: Greeting
  stop(): Promise<void>
}

/** Starts a program of this folder and waits for its first message. A program in plain JavaScript runs on Node alone. */
export async function startChild<Greeting>(
  program: string,
  args: readonly string[] = [],
): Promise<Child<Greeting>> {
  const child = fork(new URL(program, import.meta.url), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...(program.endsWith('.mjs') ? { execArgv: [] } : {}),
  })
  const greeting = await Promise.race([firstMessage<Greeting>(child), failedStart(child, program)])
  return { greeting, stop: () => stopChild(child) }
}

async function firstMessage<Message>(child: ChildProcess): Promise<Message> {
  const [message] = (await once(child, 'message')) as [Message]
  return message
}

async function failedStart(child: ChildProcess, program: string): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null]
  throw new Error(`${program} ended with ${code}`)
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  if (child.connected) child.disconnect()
  await exited
}
