/** The `dropbridge map` commands, and `map schema`, which prints the JSON Schema of mapping and grammar files. */
import { isOperation, OPERATIONS } from '../../../contract/operations.ts'
import { createGrammarSchema, createMappingSchema } from '../../../mapping/json-schema.ts'
import { BridgeError, EXIT } from '../../../support/errors.ts'
import { unknownNameError } from '../../../support/text.ts'
import { defineCommand } from '../../command.ts'
import { diffCommand } from './diff.ts'
import { coverageCommand } from './coverage.ts'
import { docsCommand } from './docs.ts'
import { learnCommand } from './learn.ts'
import { testCommand } from './test.ts'
import { tryCommand } from './try.ts'

const schemaCommand = defineCommand({
  usage: 'schema [operation]',
  describe: 'Print the JSON Schema of mapping files, for editors',
  positionals: { operation: { type: 'string' } },
  options: { grammar: { type: 'boolean', describe: 'the schema of grammar files instead' } },
  run(terminal, { operation, grammar }) {
    if (grammar === true) {
      if (operation !== undefined)
        throw new BridgeError('usage-wrong', 'a grammar is of no operation', {
          fix: 'Leave the operation out.',
        })
      terminal.out(JSON.stringify(createGrammarSchema(), null, 2))
      return EXIT.ok
    }
    if (operation !== undefined && !isOperation(operation))
      throw unknownNameError(`there is no operation "${operation}"`, operation, Object.keys(OPERATIONS))
    terminal.out(JSON.stringify(createMappingSchema(operation), null, 2))
    return EXIT.ok
  },
})

export const mapCommand = defineCommand({
  usage: 'map',
  describe: 'Learn, try, test, compare and explain mapping files',
  commands: [learnCommand, docsCommand, schemaCommand, tryCommand, testCommand, coverageCommand, diffCommand],
  demand: 'Name what to do: learn, try, test, coverage, diff, docs, schema.',
})
