/** What `run` and `watch` take on the command line about their log. */
import { LOG_FORMATS, LOG_LEVELS } from '../support/log.ts'

export const LOG_OPTIONS = ['log-level', 'log-format']

export const LOG_FLAGS = {
  'log-level': { choices: LOG_LEVELS, describe: 'Log to stderr, from this level on' },
  'log-format': { choices: LOG_FORMATS, describe: 'Log to stderr, as lines for people or for programs' },
} as const
