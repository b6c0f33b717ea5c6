/** Whether something is mounted at a folder, or it is a plain one that is empty because nothing is. */
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasSystemCode } from './errors.ts'

/**
 * For a real path. What is mounted is another device than the folder around it; a part of the same disk that is mounted
 * once more, as containers do, is seen only in the system's own table, which Linux has.
 */
export async function isMountPoint(path: string): Promise<boolean> {
  const above = dirname(path)
  if (above === path) return true
  const [own, around] = await Promise.all([stat(path), stat(above)])
  return own.dev !== around.dev || (await mountPoints()).includes(path)
}

/** The fifth word of each line. proc_pid_mountinfo(5): spaces and the like stand there as octal numbers. */
async function mountPoints(): Promise<string[]> {
  const lines = (await mountTable()).split('\n')
  return lines.map((line) => unescaped(line.split(' ')[4] ?? ''))
}

async function mountTable(): Promise<string> {
  try {
    return await readFile('/proc/self/mountinfo', 'utf8')
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT', 'EACCES')) return ''
    throw error
  }
}

function unescaped(word: string): string {
  return word.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}
