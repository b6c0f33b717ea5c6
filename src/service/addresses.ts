/** Addresses as the service keeps and shows them. */
import type { Address, AddressInput } from '../contract/address.ts'

/** The text that is kept: every key of the address but its id, null where nothing was sent. */
export function toAddressText(address: AddressInput): string {
  const kept: Omit<Address, 'id'> = {
    type: address.type ?? null,
    name1: address.name1,
    name2: address.name2 ?? null,
    street1: address.street1,
    street2: address.street2 ?? null,
    city: address.city,
    province: address.province,
    postal_code: address.postal_code,
    country: address.country,
    phone1: address.phone1 ?? null,
    phone2: address.phone2 ?? null,
    fax: address.fax ?? null,
    email: address.email ?? null,
  }
  return JSON.stringify(kept)
}

export function toAddress(id: number, text: string): Address {
  return { id, ...(JSON.parse(text) as Omit<Address, 'id'>) }
}

export function toAddressOrNull(id: number | null, text: string | null): Address | null {
  return id === null || text === null ? null : toAddress(id, text)
}

type Flattened<Prefix extends 'ship_to' | 'ship_from'> = {
  [Name in Exclude<FlatName, OptionalName> as `${Prefix}_${Name}`]: string
} & { [Name in OptionalName as `${Prefix}_${Name}`]: string | null }

type OptionalName = 'name2' | 'street2' | 'phone'
type FlatName = OptionalName | 'name1' | 'street1' | 'city' | 'province' | 'postal_code' | 'country'

/** The form brands see: `ship_to_name1` and so on. */
export function flattened<Prefix extends 'ship_to' | 'ship_from'>(
  prefix: Prefix,
  address: Address,
): Flattened<Prefix> {
  return {
    [`${prefix}_name1`]: address.name1,
    [`${prefix}_name2`]: address.name2,
    [`${prefix}_street1`]: address.street1,
    [`${prefix}_street2`]: address.street2,
    [`${prefix}_city`]: address.city,
    [`${prefix}_province`]: address.province,
    [`${prefix}_postal_code`]: address.postal_code,
    [`${prefix}_country`]: address.country,
    [`${prefix}_phone`]: address.phone1,
  } as Flattened<Prefix>
}
