/** Notices to a program of the user: started without a shell, with the notice as JSON on its input. */
import { spawn } from 'node:child_process'
import type { Notifier } from '../domain/notice.ts'
import { withoutSecrets } from '../support/secrets.ts'

export interface CommandOptions {
  readonly command: string
  readonly args: readonly string[]
  /** Where it is started. */
  readonly folder: string
  readonly timeoutMs: number
}

/** What of its complaint is told. */
const COMPLAINT_MAX = 500
/** What of it is looked through for secrets. */
const COMPLAINT_READ = 8 * COMPLAINT_MAX

/** Between asking it to end and ending it. */
const GRACE_MS = 2000

/** For what it complained right before it ended. */
const LAST_WORDS_MS = 300

export function commandNotifier(options: CommandOptions): Notifier {
  return {
    send: ({ id, subject, text, data }, signal) =>
      run(options, JSON.stringify({ id, subject, text, digest: data }), signal),
  }
}

function run(
  { command, args, folder, timeoutMs }: CommandOptions,
  input: string,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'pipe'],
      windowsHide: true,
    })
    const timers: NodeJS.Timeout[] = []
    let complaint = ''
    let isLate = false
    const late = () => {
      isLate = true
      child.kill('SIGTERM')
      timers.push(setTimeout(() => child.kill('SIGKILL'), GRACE_MS))
    }
    const end = (code: number | null, killed: NodeJS.Signals | null) => {
      signal.removeEventListener('abort', late)
      for (const timer of timers) clearTimeout(timer)
      child.stderr.destroy()
      const why = signal.aborted ? 'was asked to stop' : `took longer than ${timeoutMs / 1000} seconds`
      const how = isLate ? why : howItEnded(code, killed)
      if (code === 0) resolve()
      else reject(new Error(`${command} ${how}${lastWords(complaint)}`))
    }
    timers.push(setTimeout(late, timeoutMs))
    signal.addEventListener('abort', late)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, COMPLAINT_READ)
    })
    child.on('error', (error) => {
      signal.removeEventListener('abort', late)
      for (const timer of timers) clearTimeout(timer)
      reject(new Error(`${command} cannot be started: ${error.message}`, { cause: error }))
    })
    child.on('close', end)
    // What it left running in the background may hold its pipes open for ever.
    child.on('exit', (code, killed) => timers.push(setTimeout(() => end(code, killed), LAST_WORDS_MS)))
    // One that reads nothing of its input is no failure.
    child.stdin.on('error', () => undefined)
    child.stdin.end(`${input}\n`)
  })
}

/** In one line. A script that shows what it runs shows its secrets too, and the word at a cut may be half of one. */
function lastWords(complaint: string): string {
  const whole = complaint.length < COMPLAINT_READ ? complaint : complaint.replace(/\S+$/, '')
  const words = withoutSecrets(whole).replace(/\s+/g, ' ').trim().slice(0, COMPLAINT_MAX)
  return words === '' ? '' : `: ${words}`
}

function howItEnded(code: number | null, signal: NodeJS.Signals | null): string {
  return code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`
}
