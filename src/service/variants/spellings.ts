/** Forgivable spellings of amounts among attributes, made right before a body is checked. Spec: not shown. */
import { attributeRule, isAttributeCode } from '../../contract/attributes.ts'
import { money, type Normalise } from '../http/normalise.ts'

/** `12.5`, `"12.5"`, `"$12.50"` and `"1,012.50"` of an amount become text with two decimals; all else stays. */
export const normaliseVariant: Normalise = (body) => {
  if (!isFields(body) || !Array.isArray(body['attributes'])) return body
  return { ...body, attributes: body['attributes'].map(normaliseEntry) }
}

function normaliseEntry(entry: unknown): unknown {
  if (!isFields(entry) || !isFields(entry['attribute'])) return entry
  const { code } = entry['attribute']
  if (typeof code !== 'string' || !isAttributeCode(code) || attributeRule(code).type !== 'money') return entry
  return { ...entry, value: money(entry['value']) }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
