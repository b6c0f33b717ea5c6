/** `dropbridge map schema`: the JSON Schema of mapping files, for editors. */
import { OPERATIONS, type OperationName } from '../../../contract/operations.ts'
import { mappingJsonSchema } from '../../../mapping/json-schema.ts'
import { BridgeError, EXIT, type ExitCode } from '../../../support/errors.ts'
import { didYouMean } from '../../../support/nearest.ts'
import type { Terminal } from '../../terminal.ts'

export function schema(terminal: Terminal, operation: string | undefined): ExitCode {
  if (operation !== undefined && !isOperation(operation)) {
    const known = Object.keys(OPERATIONS)
    const hint = didYouMean(operation, known) || ` There are ${known.join(', ')}.`
    throw new BridgeError('usage-wrong', `there is no operation "${operation}".${hint}`)
  }
  terminal.out(JSON.stringify(mappingJsonSchema(operation), null, 2))
  return EXIT.ok
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}
