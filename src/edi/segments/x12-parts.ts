/** Elements and codes that several segments of X12 share. */

/** Meanings of the qualifiers of item numbers. */
export const ITEM_NUMBERS = {
  BL: 'brand',
  BO: 'color',
  BP: "buyer's part",
  CB: "buyer's catalog number",
  EN: 'EAN',
  IN: "buyer's item",
  IZ: "buyer's size",
  MG: "maker's part",
  PI: "buyer's item",
  SK: 'SKU',
  SZ: "vendor's size",
  UA: 'U.P.C. case',
  UI: 'U.P.C.',
  UK: 'GTIN',
  UP: 'U.P.C.',
  VA: "vendor's style",
  VC: "vendor's catalog number",
  VN: "vendor's item",
  VP: "vendor's part",
  ZZ: 'mutually defined',
}

export const PURPOSES = {
  '00': 'original',
  '01': 'cancellation',
  '02': 'add',
  '03': 'delete',
  '04': 'change',
  '05': 'replace',
  '06': 'confirmation',
  '07': 'duplicate',
  22: 'information',
  27: 'verify',
  49: 'original, no answer wanted',
}

export const ORDER_TYPES = {
  DS: 'drop ship',
  KN: 'purchase order',
  NE: 'new order',
  OS: 'special order',
  RL: 'release',
  SA: 'stand-alone order',
  SS: 'supply or service order',
}

export const UNITS = {
  CA: 'case',
  CN: 'can',
  CT: 'carton',
  DZ: 'dozen',
  EA: 'each',
  KG: 'kilogram',
  LB: 'pound',
  OZ: 'ounce',
  PC: 'piece',
  PK: 'package',
  PR: 'pair',
  ST: 'set',
  UN: 'unit',
  IN: 'inch',
  CM: 'centimeter',
  FT: 'foot',
}

export const DATES = {
  '001': 'cancel after',
  '002': 'delivery requested',
  '003': 'invoice',
  '004': 'purchase order',
  '007': 'effective',
  '009': 'process',
  '010': 'ship requested',
  '011': 'shipped',
  '017': 'estimated delivery',
  '018': 'available',
  '035': 'delivered',
  '036': 'expiration',
  '037': 'ship not before',
  '038': 'ship no later',
  '050': 'received',
  '063': 'do not deliver after',
  '064': 'do not deliver before',
  '067': 'current schedule delivery',
  '068': 'current schedule ship',
  '069': 'promised for delivery',
  '079': 'promised for shipment',
  '097': 'transaction created',
  106: 'required by',
  118: 'requested pick-up',
  139: 'estimated',
  140: 'actual',
  152: 'effective change',
  169: 'product available',
  405: 'production',
  806: 'order placed',
  809: 'post',
}

export const REFERENCES = {
  '2I': 'tracking number',
  '12': 'billing account',
  '19': 'division',
  ACE: 'cancellation',
  AN: 'associated purchase order',
  BM: 'bill of lading',
  CN: "carrier's number",
  CO: 'customer order',
  CR: "customer's reference",
  DP: 'department',
  EO: 'submitter id',
  IA: 'internal vendor number',
  IL: 'internal order',
  IT: 'internal customer number',
  IV: 'invoice',
  LI: 'line item',
  MA: 'manifest',
  MR: 'merchandise type',
  OC: 'ocean container',
  OQ: 'order number',
  PD: 'promotion',
  PK: 'packing list',
  PO: 'purchase order',
  RZ: 'return authorization',
  SI: "shipper's number",
  ST: 'store',
  TN: 'transaction reference',
  VN: "vendor's order",
  VR: 'vendor id',
  ZZ: 'mutually defined',
  L1: 'letters or notes',
  AH: 'agreement',
  PHC: 'process handling',
  PG: 'product group',
}

export const PARTIES = {
  BO: 'broker',
  BS: 'bill and ship to',
  BT: 'bill to',
  BY: 'buyer',
  CA: 'carrier',
  CN: 'consignee',
  IA: 'installed at',
  II: 'issuer of invoice',
  LW: 'customer',
  MA: 'final recipient',
  MF: 'manufacturer',
  OB: 'ordered by',
  PR: 'payer',
  RE: 'remit to',
  RI: 'remit to',
  RT: 'returned to',
  SE: 'seller',
  SF: 'ship from',
  SH: 'shipper',
  SN: 'store',
  SO: 'sold to',
  ST: 'ship to',
  SU: 'supplier',
  VN: 'vendor',
  WH: 'warehouse',
  Z7: 'mark-for party',
  ZZ: 'other',
}

export const ID_TYPES = {
  1: 'D-U-N-S',
  2: 'SCAC',
  9: 'D-U-N-S with suffix',
  91: 'assigned by the seller',
  92: 'assigned by the buyer',
  94: 'code of the destination',
  UL: 'GLN',
  ZZ: 'mutually defined',
}

export const ITEM_STATES = {
  AC: 'accepted and shipped',
  AR: 'accepted, released',
  BP: 'partly shipped, rest backordered',
  DR: 'accepted, date changed',
  IA: 'accepted',
  IB: 'backordered',
  IC: 'accepted with changes',
  ID: 'deleted',
  IE: 'accepted, price pending',
  IF: 'on hold',
  IH: 'on hold',
  IP: 'price changed',
  IQ: 'quantity changed',
  IR: 'rejected',
  IS: 'substituted',
  R1: 'rejected, not a contract item',
  R2: 'rejected, invalid item number',
  R3: 'rejected, invalid unit',
  R4: 'rejected, contract item not available',
  SP: 'accepted, schedule pending',
}

/** The unit of a measure, which may be made of several. */
export const UNIT = ['C001 unit', '355* ID 2/2 unit', '1018 R 1/15 exponent', '649 R 1/10 multiplier']

export const REFERENCE_IDS = [
  'C040 further references',
  '128* ID 2/3 qualifier',
  '127* AN 1/30 reference',
  '128 ID 2/3 qualifier',
  '127 AN 1/30 reference',
  '128 ID 2/3 qualifier',
  '127 AN 1/30 reference',
]

/** Pairs of the qualifier of an item number and the number. */
export function listItemNumbers(count: number): string[] {
  return Array.from({ length: count }, () => [
    '235 ID 2/2 item number qualifier',
    '234 AN 1/48 item number',
  ]).flat()
}

/** The same elements several times, such as three references of the same kind. */
export function repeatElements(count: number, ...elements: readonly string[]): string[] {
  return Array.from({ length: count }, () => elements).flat()
}
