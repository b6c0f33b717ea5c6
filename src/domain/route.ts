/** One configured lane. */

export interface Party {
  readonly kind: 'retailer' | 'brand'
  readonly id: number
}

/** `retailer/1000`: the account a record belongs to. */
export function accountOf(party: Party): string {
  return `${party.kind}/${party.id}`
}
