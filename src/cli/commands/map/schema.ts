/** `dropbridge map schema`: prints the JSON Schema of mapping and grammar files. */
import { isOperation, OPERATIONS } from '../../../contract/operations.ts'
import { createGrammarSchema, createMappingSchema } from '../../../mapping/json-schema.ts'
import { BridgeError, EXIT } from '../../../support/errors.ts'
import { unknownNameError } from '../../../support/text.ts'
import { defineCommand } from '../../command.ts'

export const schemaCommand = defineCommand({
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
