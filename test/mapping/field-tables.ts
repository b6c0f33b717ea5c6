/** docs/fields.md: the fields of each operation, printed from the contract. */
import { OPERATIONS } from '../../src/contract/operations.ts'
import { describeRule, type Shape, toShape } from '../../src/mapping/shape.ts'

const HEAD = `# The fields of each operation

A mapping into the API mirrors the body of its operation; the columns of an export name the fields of its records. What a
field takes is checked before anything is sent, and what is required must be mapped. \`[]\` stands behind a list that is
written as one item behind a dash. \`dropbridge map schema OPERATION\` prints the same as a JSON Schema for editors.
`

export function fieldsPage(): string {
  const sections = Object.entries(OPERATIONS).map(([name, operation]) => {
    const isBody = operation.direction === 'inbound'
    const rows = rowsOf(toShape(isBody ? operation.body : operation.record), '', isBody)
    const head = isBody
      ? ['| Field | Takes | Required |', '| --- | --- | --- |']
      : ['| Field | Is |', '| --- | --- |']
    return ['', `## ${name}`, '', ...head, ...rows, ''].join('\n')
  })
  return HEAD + sections.join('')
}

/** Fields that are required below an optional object are shown with that object. */
function rowsOf(shape: Shape, path: string, isBody: boolean): string[] {
  if (shape.kind === 'object') {
    const own = path === '' || !isBody ? [] : [row(path, 'an object', shape.required, isBody)]
    const below = [...shape.fields].flatMap(([name, field]) =>
      rowsOf(field, path === '' ? name : `${path}.${name}`, isBody),
    )
    return [...own, ...below]
  }
  if (shape.kind === 'list' && shape.item.kind === 'object')
    return rowsOf({ ...shape.item, required: shape.required }, isBody ? `${path}[]` : path, isBody)
  const field = shape.kind === 'list' ? shape.item : shape
  const what =
    field.kind === 'field' && field.rule !== undefined ? describeRule(field.rule) : 'a value of the API'
  return [row(path, shape.kind === 'list' ? `a list: ${what}` : what, shape.required, isBody)]
}

function row(path: string, what: string, required: boolean, isBody: boolean): string {
  const cells = [`\`${path}\``, what.replaceAll('|', '\\|'), ...(isBody ? [required ? 'yes' : ''] : [])]
  return `| ${cells.join(' | ')} |`
}
