/** Who an account may act for. Spec: the two contexts. */
export type PartyKind = 'retailer' | 'brand'
