/** Composites and codes that several segments of EDIFACT share. */

/** A code with the list that it is from. */
export function describeCode(composite: string, code: string): string[] {
  return [composite, code, '1131 ID 1/3 list', '3055 ID 1/3 agency of the list']
}

export const DATE = ['C507* date', '2005* ID 1/3 qualifier', '2380 AN 1/35 date', '2379 ID 1/3 format']

export const ITEM_NUMBER = [
  'C212 item number',
  '7140 AN 1/35 item number',
  '7143 ID 1/3 kind of number',
  '1131 ID 1/3 list',
  '3055 ID 1/3 agency of the list',
]

/** Meanings of 7143, the kinds of item numbers. */
export const ITEM_NUMBERS = {
  BP: "buyer's part",
  EN: 'EAN',
  GU: "supplier's item group",
  IB: 'ISBN',
  IN: "buyer's item",
  MF: "manufacturer's item",
  MP: 'product number',
  SA: "supplier's item",
  SN: 'serial number',
  SRV: 'GTIN',
  UA: "final customer's item",
  UP: 'U.P.C.',
  VN: "vendor's item",
  VP: "vendor's part",
}

export const PARTIES = {
  BT: 'bill to',
  BY: 'buyer',
  CA: 'carrier',
  CN: 'consignee',
  CZ: 'consignor',
  DP: 'delivery party',
  IV: 'invoicee',
  MR: 'message receiver',
  MS: 'message sender',
  OB: 'ordered by',
  PE: 'payee',
  PW: 'dispatch party',
  RE: 'remit to',
  SE: 'seller',
  SF: 'ship from',
  SH: 'shipper',
  SN: 'store',
  SO: 'sold to',
  ST: 'ship to',
  SU: 'supplier',
  UC: 'final consignee',
  UD: 'final customer',
  WH: 'warehouse',
}

/** Meanings of 1225, what a message is for. */
export const FUNCTIONS = {
  1: 'cancellation',
  2: 'addition',
  3: 'deletion',
  4: 'change',
  5: 'replace',
  6: 'confirmation',
  7: 'duplicate',
  9: 'original',
  27: 'not accepted',
  29: 'accepted without change',
  31: 'copy',
  42: 'confirmation by other means',
}

/** Meanings of 1229, what is done with a line. */
export const LINE_ACTIONS = {
  1: 'added',
  2: 'deleted',
  3: 'changed',
  4: 'no action',
  5: 'accepted',
  6: 'accepted with changes',
  7: 'not accepted',
  10: 'not found',
}

export const UNITS = {
  CMT: 'centimeter',
  EA: 'each',
  GRM: 'gram',
  INH: 'inch',
  KGM: 'kilogram',
  LBR: 'pound',
  MMT: 'millimeter',
  ONZ: 'ounce',
  PCE: 'piece',
  MTR: 'meter',
  CT: 'carton',
  PK: 'package',
}
