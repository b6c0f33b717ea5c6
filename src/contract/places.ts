/** Countries and their states or provinces, from ISO 3166. */
import { iso31661, iso31662 } from 'iso-3166'
import { makeOnDemand } from '../support/collections.ts'

// The tables are large, and short commands need none of them.

const getCountries = makeOnDemand(
  (): ReadonlySet<string> => new Set(iso31661.map((country) => country.alpha2)),
)

/** Military post has state codes of its own that ISO does not list. */
const US_MILITARY = ['AA', 'AE', 'AP']

const getProvinces = makeOnDemand((): ReadonlyMap<string, ReadonlySet<string>> => collectProvinces())

/** Whether the text is a two-letter country code, in capitals. */
export function isCountry(code: string): boolean {
  return getCountries().has(code)
}

/**
 * Whether the state or province code, without the country in front, belongs to the country.
 * Spec: "Only the province code and the country code are validated". A country ISO knows no parts of takes any code.
 */
export function isProvinceOf(country: string, code: string): boolean {
  const known = getProvinces().get(country)
  return known === undefined || known.has(code)
}

export function isProvince(code: string): boolean {
  return [...getProvinces().values()].some((known) => known.has(code))
}

function collectProvinces(): Map<string, Set<string>> {
  const provinces = new Map<string, Set<string>>()
  for (const { code } of iso31662) {
    const country = code.slice(0, 2)
    const known = provinces.get(country) ?? new Set<string>()
    known.add(code.slice(3))
    provinces.set(country, known)
  }
  for (const code of US_MILITARY) provinces.get('US')?.add(code)
  return provinces
}
