/** All commands in the order of the help, each with its line in it. What else a command needs is loaded when it is given. */
import type { CommandEntry } from './command.ts'

const MAP_COMMANDS: readonly CommandEntry[] = [
  {
    usage: 'learn <file>',
    describe: 'Guess a first mapping from a sample file',
    load: async () => (await import('./commands/map/learn.ts')).learnCommand,
  },
  {
    usage: 'docs <mapping>',
    describe: 'A page that shows a partner what to send, or what comes, with sample files',
    load: async () => (await import('./commands/map/docs.ts')).docsCommand,
  },
  {
    usage: 'schema [operation]',
    describe: 'Print the JSON Schema of mapping files, for editors',
    load: async () => (await import('./commands/map/schema.ts')).schemaCommand,
  },
  {
    usage: 'try <file>',
    describe: 'Show records of a file beside their bodies, field by field; nothing is sent',
    load: async () => (await import('./commands/map/try.ts')).tryCommand,
  },
  {
    usage: 'test <mappings..>',
    describe: 'Run the examples of mappings, and say what they leave untried',
    load: async () => (await import('./commands/map/test.ts')).testCommand,
  },
  {
    usage: 'coverage <file>',
    describe:
      'Say which segments of an interchange a mapping uses; of an export, which values its document carries',
    load: async () => (await import('./commands/map/coverage.ts')).coverageCommand,
  },
  {
    usage: 'diff <old> <new>',
    describe: 'Show which bodies or rows change when one mapping takes the place of another',
    load: async () => (await import('./commands/map/diff.ts')).diffCommand,
  },
]

const EDI_COMMANDS: readonly CommandEntry[] = [
  {
    usage: 'show <file>',
    describe: 'Show a file: its loops, segments and elements with their names and the meanings of codes',
    load: async () => (await import('./commands/edi/show.ts')).showCommand,
  },
  {
    usage: 'check <files..>',
    describe: 'Check files: the verdict on each interchange, group and set, and where the faults are',
    load: async () => (await import('./commands/edi/check.ts')).checkCommand,
  },
  {
    usage: 'fix <file>',
    describe: 'Write a copy with right counts, numbers, trailers and padding; nothing else is changed',
    load: async () => (await import('./commands/edi/fix.ts')).fixCommand,
  },
  {
    usage: 'partners',
    describe:
      'List the partners: their addresses, when they last sent something, and the answers they wait for',
    load: async () => (await import('./commands/edi/partners.ts')).partnersCommand,
  },
  {
    usage: 'numbers [partner]',
    describe: 'List the last control numbers that were given to partners, or set those of one',
    load: async () => (await import('./commands/edi/numbers.ts')).numbersCommand,
  },
  {
    usage: 'resend <delivery>',
    describe:
      'Send an interchange (name or id of its file) once more: the same bytes under the same control numbers',
    load: async () => (await import('./commands/retake.ts')).redeliverCommand,
  },
]

const CONSOLE_USER_COMMANDS: readonly CommandEntry[] = [
  {
    usage: 'add <name>',
    describe: 'Let a person sign in; asks for the password, or reads it from a file',
    load: async () => (await import('./commands/console.ts')).addCommand,
  },
  {
    usage: 'list',
    describe: 'List the people, their roles, and how many sessions are open',
    load: async () => (await import('./commands/console.ts')).listCommand,
  },
  {
    usage: 'disable <name>',
    describe: 'End the sessions of a person, who signs in no more',
    load: async () => (await import('./commands/console.ts')).disableCommand,
  },
]

/** Commands that work, commands that only read, commands to start with. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    usage: 'run [routes..]',
    describe: 'One pass over the routes: pick up, post, report; collect, deliver, acknowledge',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    usage: 'watch [routes..]',
    describe: 'Continue until stopped: take files as soon as they are whole, export by the schedules',
    load: async () => (await import('./commands/watch.ts')).watchCommand,
  },
  {
    usage: 'pause <route>',
    describe: 'Keep `run` and `watch` from beginning anything on a route until a time; it ends by itself',
    load: async () => (await import('./commands/pause.ts')).pauseCommand,
  },
  {
    usage: 'resume <route>',
    describe: 'End the pause of a route before its time',
    load: async () => (await import('./commands/pause.ts')).resumeCommand,
  },
  {
    usage: 'reload',
    describe: 'Let a running watch use the changed configuration and mappings, after they passed their check',
    load: async () => (await import('./commands/reload.ts')).reloadCommand,
  },
  {
    usage: 'export <route>',
    describe:
      'Write records of a route’s list to a file or to stdout, once; nothing is acknowledged or remembered',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  {
    usage: 'labels',
    describe: 'Fetch packing slips and labels again: those that are missing, or those of the shipments named',
    load: async () => (await import('./commands/labels.ts')).labelsCommand,
  },
  {
    usage: 'redeliver <delivery>',
    describe: 'Deliver the bytes of a finished delivery (name or id) once more; acknowledges nothing',
    load: async () => (await import('./commands/retake.ts')).redeliverCommand,
  },
  {
    usage: 'retake <file>',
    describe: 'Take an archived file (name or id) again, such as after its mapping was mended',
    load: async () => (await import('./commands/retake.ts')).retakeCommand,
  },
  {
    usage: 'notifications',
    describe: 'Show what became of the latest notifications, or send a trial of one',
    load: async () => (await import('./commands/notifications.ts')).notificationsCommand,
    commands: [
      {
        usage: 'test <name>',
        describe: 'Send a trial by one of the ways under `notifications`; it contains no results',
        load: async () => (await import('./commands/notifications.ts')).testCommand,
      },
    ],
  },
  {
    usage: 'audit',
    describe: 'Check that the journal is what was written into it',
    demand: 'Say what to do: audit verify.',
    commands: [
      {
        usage: 'verify',
        describe: 'Walk the chain of events and compare it with the journal; changes nothing',
        load: async () => (await import('./commands/audit.ts')).verifyCommand,
      },
    ],
  },
  {
    usage: 'prune',
    describe: 'Remove the contents of work that was finished long ago; keys and states stay',
    load: async () => (await import('./commands/prune.ts')).pruneCommand,
  },
  {
    usage: 'trust-host <mailbox>',
    describe:
      'Show the host key of an SFTP server, and trust it once you say that it is right; never logs in',
    load: async () => (await import('./commands/trust-host.ts')).trustHostCommand,
  },
  {
    usage: 'release <what>',
    describe:
      'Send what is held because its file was stopped, or what a partner refused: FILE (name or id), or ROUTE/KEY for one record',
    load: async () => (await import('./commands/release.ts')).releaseCommand,
  },
  {
    usage: 'discard <what>',
    describe: 'Give up what is held: FILE (name or id), or ROUTE/KEY for one record',
    load: async () => (await import('./commands/release.ts')).discardCommand,
  },
  {
    usage: 'dismiss <what>',
    describe:
      'Need no correction of what was rejected or not acknowledged: FILE (name or id), or ROUTE/KEY for one record',
    load: async () => (await import('./commands/release.ts')).dismissCommand,
  },
  {
    usage: 'restored',
    describe: 'Say that the journal was restored from a backup: what may have been done since is in doubt',
    load: async () => (await import('./commands/restored.ts')).restoredCommand,
  },
  {
    usage: 'trace <key>',
    describe:
      'All that is known of an order, record or file: by PO, invoice or tracking number, id, or file name (:line)',
    load: async () => (await import('./commands/trace.ts')).traceCommand,
  },
  {
    usage: 'why-not <file>',
    describe: 'Why a file is not picked up, and what to do; changes nothing',
    load: async () => (await import('./commands/why-not.ts')).whyNotCommand,
  },
  {
    usage: 'activity',
    describe: 'Sum up days: files, records, units and money, sent and received, by route and party',
    load: async () => (await import('./commands/activity.ts')).activityCommand,
  },
  {
    usage: 'late',
    describe: 'List orders that must be acknowledged or shipped soon, by the hours that are left',
    load: async () => (await import('./commands/late.ts')).lateCommand,
  },
  {
    usage: 'undo <key>',
    describe: 'Say what can still be undone of an order or record, and by which command; nothing is sent',
    load: async () => (await import('./commands/undo.ts')).undoCommand,
  },
  {
    usage: 'resolve <what>',
    describe:
      'Say what came of a record whose answer was lost (KEY or ROUTE/KEY), or of a held delivery (FILE)',
    load: async () => (await import('./commands/resolve.ts')).resolveCommand,
  },
  {
    usage: 'translate <file>',
    describe: 'Translate a file to JSON, or for an export JSON records to its file; nothing is sent',
    load: async () => (await import('./commands/translate.ts')).translateCommand,
  },
  {
    usage: 'check',
    describe: 'Check the configuration and the mappings, and run the mappings’ examples; nothing is sent',
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  {
    usage: 'map',
    describe: 'Learn, try, test, compare and explain mapping files',
    demand: 'Name what to do: learn, try, test, coverage, diff, docs, schema.',
    commands: MAP_COMMANDS,
  },
  {
    usage: 'edi',
    describe: 'Show, check, repair and resend files of X12 and EDIFACT; list partners and control numbers',
    demand: 'Name what to do: show, check, fix, partners, numbers, resend.',
    commands: EDI_COMMANDS,
  },
  {
    usage: 'status [route]',
    describe: 'Show what is done, what waits, and files that no route takes; of one ROUTE, or of all',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    usage: 'console',
    describe: 'Serve pages that show the bridge to people who sign in; beside a watch, or without one',
    load: async () => (await import('./commands/console.ts')).consoleCommand,
    commands: [
      {
        usage: 'user',
        describe: 'Add, list and disable the people who may sign in to the console',
        demand: 'Say what to do: add, list, disable.',
        commands: CONSOLE_USER_COMMANDS,
      },
    ],
  },
  {
    usage: 'explain [code]',
    describe: 'Explain a code of a result file or a message, or list them all',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    usage: 'init [folder]',
    describe: 'Write a configuration, mappings and folders to start from',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  {
    usage: 'service',
    describe: 'Run the order-fulfilment API itself, with its data in a folder',
    load: async () => (await import('./commands/service.ts')).serviceCommand,
  },
  {
    usage: 'demo [folder]',
    describe: 'Run the main job on sample files against a service of its own',
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
  {
    usage: 'prove',
    describe:
      'Prove that your routes lose and double nothing: against a service with faults, killed again and again',
    load: async () => (await import('./commands/prove.ts')).proveCommand,
  },
]
