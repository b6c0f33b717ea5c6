/** Countries and their states or provinces, from ISO 3166. */
import { iso31661, iso31662 } from 'iso-3166'
import { makeOnDemand } from '../support/collections.ts'
import { findSimilarName } from '../support/text.ts'

// The tables are large, and short commands need none of them.

const getCountries = makeOnDemand(
  (): ReadonlySet<string> => new Set(iso31661.map((country) => country.alpha2)),
)

/** Military post has state codes of its own that ISO does not list. */
const US_MILITARY = ['AA', 'AE', 'AP']

/** The names of the provinces of each country, by their codes. */
const getProvinces = makeOnDemand((): ReadonlyMap<string, ReadonlyMap<string, string>> => collectProvinces())

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

/** Names provinces of a country as they are written: those with this name or part of it, else the first ones. */
export function exemplifyProvinces(country: string, text: string): string {
  const known = [...(getProvinces().get(country) ?? [])]
  const wanted = text.trim().toLowerCase()
  const contained = wanted.length < 3 ? [] : known.filter(([, name]) => name.toLowerCase().includes(wanted))
  const meant =
    wanted.length < 3
      ? undefined
      : findSimilarName(
          wanted,
          known.map(([, name]) => name),
        )
  const alike = contained.length > 0 ? contained : known.filter(([, name]) => name === meant)
  return (alike.length > 0 ? alike : known)
    .slice(0, 3)
    .map(([code, name]) => `${code} (${name})`)
    .join(', ')
}

function collectProvinces(): Map<string, Map<string, string>> {
  const provinces = new Map<string, Map<string, string>>()
  for (const { code, name } of iso31662) {
    const country = code.slice(0, 2)
    const known = provinces.get(country) ?? new Map<string, string>()
    known.set(code.slice(3), name)
    provinces.set(country, known)
  }
  for (const code of US_MILITARY) provinces.get('US')?.set(code, 'military post')
  return provinces
}
