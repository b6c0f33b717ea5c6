/** What is logged, how and where: the `log` of the configuration. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../support/log.ts'

export const LogFile = z.strictObject({
  level: z
    .enum(LOG_LEVELS)
    .default('info')
    .describe('The least that is worth a line. From info on, no line holds contents of files or of the API.'),
  format: z
    .enum(['auto', ...LOG_FORMATS])
    .default('auto')
    .describe('human lines or json; auto: human on a terminal, json elsewhere.'),
  file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A file that lines are added to, json unless format says human; it may be moved away at any time. Not in a mailbox.',
    ),
})

export interface LogConfiguration {
  readonly level: LogLevel
  /** Left out where it depends on where the lines go. */
  readonly format?: LogFormat
  /** Absolute. */
  readonly file?: string
}

export function toLog({ level, format, file }: z.output<typeof LogFile>, folder: string): LogConfiguration {
  return {
    level,
    ...(format === 'auto' ? {} : { format }),
    ...(file === undefined ? {} : { file: resolve(folder, file) }),
  }
}
