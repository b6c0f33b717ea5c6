/** Countries and provinces by their names or other spellings, as the codes the API takes. */
import { iso31661, iso31662 } from 'iso-3166'
import { isCountry, isProvinceOf } from '../../contract/places.ts'
import { makeOnDemand } from '../../support/collections.ts'
import { type Convert, quoteText } from './text.ts'

/** Common names of countries whose ISO names are not in use. */
const COUNTRY_NAMES: Readonly<Record<string, string>> = {
  'U.S.': 'US',
  'United States': 'US',
  America: 'US',
  'Great Britain': 'GB',
  'United Kingdom': 'GB',
  UK: 'GB',
  England: 'GB',
  'South Korea': 'KR',
  Russia: 'RU',
  Vietnam: 'VN',
  Taiwan: 'TW',
}

const getCountries = makeOnDemand(
  (): ReadonlyMap<string, string> =>
    new Map([
      ...iso31661.map((country): [string, string] => [foldPlaceName(country.name), country.alpha2]),
      ...iso31661.map((country): [string, string] => [foldPlaceName(country.alpha3), country.alpha2]),
      ...Object.entries(COUNTRY_NAMES).map(([name, code]): [string, string] => [foldPlaceName(name), code]),
    ]),
)

const getProvinces = makeOnDemand(
  (): ReadonlyMap<string, string> =>
    new Map(iso31662.map(({ code, name }) => [`${code.slice(0, 2)} ${foldPlaceName(name)}`, code.slice(3)])),
)

/** `us`, `USA` and `United States` are all `US`. */
export const toCountry: Convert = (text, refuse) => {
  if (isCountry(text)) return text
  const code = text.length === 2 ? text.toUpperCase() : ''
  if (isCountry(code)) return code
  return (
    getCountries().get(foldPlaceName(text)) ??
    refuse('country-unknown', `${quoteText(text)} is no country that ISO 3166 knows.`)
  )
}

/** `ny`, `US-NY` and `New York` are all `NY` in the US. An unknown text stays; the contract's rule refuses it. */
export function toProvince(text: string, country: string): string {
  if (text.length === 2 && isProvinceOf(country, text)) return text.toUpperCase()
  const code = text.toUpperCase()
  if (code.length <= 3 && isProvinceOf(country, code)) return code
  const named = getProvinces().get(`${country} ${foldPlaceName(text)}`)
  if (named !== undefined) return named
  const bare = code.startsWith(`${country}-`)
    ? code.slice(country.length + 1)
    : foldPlaceName(text).toUpperCase()
  if (bare.length > 0 && bare.length <= 3 && isProvinceOf(country, bare)) return bare
  return code.length <= 3 ? code : text
}

/** Replaces the province of an address by its code, once its country is known. */
export function normalizeProvince(
  value: Record<string, unknown>,
  { field, countryField }: { readonly field: string; readonly countryField: string },
): void {
  const { [field]: province, [countryField]: country } = value
  if (typeof province === 'string' && typeof country === 'string')
    value[field] = toProvince(province, country)
}

/** Without case, accents and punctuation. */
function foldPlaceName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}
