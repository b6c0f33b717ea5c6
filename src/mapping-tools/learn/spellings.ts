/** Lists the names that files use for the fields of the API, the most specific first. */
import { foldColumnName } from '../../mapping/rows/columns.ts'
import { toAscii } from '../../mapping/values/text.ts'
import { ITEM, QUANTITY, splitWords, UPC, VARIANT_NAMES } from './item-spellings.ts'

export interface Spelling {
  /** Smaller is more specific. */
  readonly rank: number
  /** What the name alone allows to say: some names are used for several things. */
  readonly confidence: 'sure' | 'likely' | 'guess'
}

/** Ranks a column's name among the spellings of a field; undefined when it is not among them. */
export function findSpelling(field: string, column: string): Spelling | undefined {
  const spelled = getSpelledNames(field)
  for (const [penalty, name] of listReadNames(field, column).entries()) {
    const rank = spelled.findIndex((each) => each.name === name)
    const { confidence } = spelled[rank] ?? {}
    if (confidence !== undefined) return { rank: rank + penalty * 50, confidence }
  }
  const bare = removeSection(field, column)
  const rank = spelled.findIndex((each) => each.name === bare && each.confidence === 'sure')
  return rank === -1 ? undefined : { rank: rank + 150, confidence: 'likely' }
}

interface SpelledName {
  readonly name: string
  readonly confidence: Spelling['confidence']
}

/** By the fields of the API: each is compared with every column. */
const SPELLED = new Map<string, readonly SpelledName[]>()

function getSpelledNames(field: string): readonly SpelledName[] {
  const known = SPELLED.get(field)
  if (known !== undefined) return known
  const spelled = listSpellings(field).map((text) => {
    const name = text.replace(/^\?+/, '')
    return { name, confidence: MARKS[text.length - name.length] ?? 'guess' }
  })
  SPELLED.set(field, spelled)
  return spelled
}

/** Without the section before it, a clear name is likely: `package_ship_carrier`, `line_item_upc`. */
function removeSection(field: string, column: string): string | undefined {
  const words = column.split(/[\s_-]+/)
  const counts = [...words.keys()].slice(1)
  const count = counts.find((each) => hasSection(field, normalizeName(words.slice(0, each).join(''))))
  return count === undefined ? undefined : normalizeName(words.slice(count).join(''))
}

/** By the number of question marks before a name. */
const MARKS = ['sure', 'likely', 'guess'] as const

/** Lists what a heading may stand for: `Item - Weight (oz)` is `Weight`, and `City (Billing)` is `Billing City`. */
function listReadings(field: string, column: string): string[] {
  const [, plain = '', inside = ''] = /^(.*?)\s*\(([^()]*)\)$/.exec(column) ?? []
  const isMeasure = UNITS[normalizeName(inside)] !== undefined
  const named = plain === '' || inside === '' ? [] : [isMeasure ? plain : `${inside} ${plain}`]
  const readings = [column, ...named]
  const behind = readings.flatMap((reading) => {
    const [, section = '', name = ''] = /^(.*?) [-/] (.+)$/.exec(reading) ?? []
    return hasSection(field, normalizeName(section)) ? [name] : []
  })
  return [...readings, ...behind]
}

/** ShipStation and the like write a section before the name: `Item - SKU`. The name of an item is no person's. */
function hasSection(field: string, section: string): boolean {
  const isOfItem = field.includes('[]') || field.startsWith('attributes.')
  const sections = isOfItem ? ITEM_SECTIONS : RECORD_SECTIONS
  return !PARTY_FIELD.test(field) && sections.includes(section)
}

const ITEM_SECTIONS = splitWords('item items orderitem lineitem line product variant googleshopping')
const RECORD_SECTIONS = splitWords('order date shipment shipping package tracking gift invoice amount')
const PARTY_FIELD = /^(ship_to|sold_to|ship_from)[._](\w+)$/

/** What one of each unit is in the API's pounds or inches. */
const UNITS: Readonly<Record<string, string>> = {
  oz: '0.0625',
  ounces: '0.0625',
  g: '0.00220462',
  grams: '0.00220462',
  kg: '2.20462',
  cm: '0.393701',
  mm: '0.0393701',
  lb: '1',
  lbs: '1',
  pounds: '1',
  in: '1',
  inches: '1',
}

/** Finds the unit that a heading names, such as `oz`, with what one of it is in pounds or inches. */
export function findUnit(column: string): { readonly unit: string; readonly factor: string } | undefined {
  const [, inside = ''] = /\(([^()]*)\)\s*$/.exec(column) ?? []
  const unit =
    inside === ''
      ? /(?:oz|ounces|grams|kg|cm|mm|lbs?|pounds|inches)$/.exec(normalizeName(column))?.[0]
      : normalizeName(inside)
  const factor = UNITS[unit ?? '']
  return unit === undefined || factor === undefined ? undefined : { unit, factor }
}

/** Lists a heading as the tables spell it, as it stands and read otherwise: `First Name (Billing)` is `billingfirstname`. */
export function listReadNames(field: string, column: string): string[] {
  return listReadings(field, column).map(normalizeName)
}

/** Normalizes a name as the tables spell it: `Préférence` is `preference`. In numbered columns `{n}` is the number. */
export function normalizeName(column: string): string {
  const folded = foldColumnName(column.replaceAll('{n}', ''))
  const spelled = folded.replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter)
  return Array.from(spelled, (letter) => toAscii(letter) ?? letter).join('')
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' }

/** Lists the spellings of first and last names of a party; none for other fields. */
export function listNamePairs(field: string): readonly (readonly [first: string, last: string])[] {
  const [, party = ''] = /^(ship_to|sold_to|ship_from)[._]name1$/.exec(field) ?? []
  return LANGUAGES.flatMap(({ prefixes, first, last }) =>
    (prefixes[party] ?? []).flatMap((prefix) =>
      first.flatMap((one) => last.map((other) => [prefix + one, prefix + other] as const)),
    ),
  )
}

function listSpellings(field: string): readonly string[] {
  const path = field.replaceAll('[]', '')
  const own = FIELD_NAMES[path] ?? VARIANT_NAMES[path]
  if (own !== undefined) return own
  const [, party = '', part = ''] = PARTY_FIELD.exec(path) ?? []
  return LANGUAGES.flatMap(({ prefixes, parts }) =>
    (prefixes[party] ?? []).flatMap((prefix) => (parts[part] ?? []).map((name) => joinMarked(prefix, name))),
  )
}

/** The question marks of both stand before the whole. */
function joinMarked(prefix: string, name: string): string {
  const marks = `${prefix} ${name}`.replace(/[^?]/g, '')
  return marks + (prefix + name).replaceAll('?', '')
}

// Names in English, German, French and Spanish, folded like column names. `?` marks names that are used for other things too,
// `??` those that are never more than a guess.

type Names = Readonly<Record<string, readonly string[]>>

/** The names of the parts of a name and an address, and the prefix for each party. */
interface PartyNames {
  readonly first: readonly string[]
  readonly last: readonly string[]
  readonly prefixes: Names
  readonly parts: Names
}

/** The languages, English first. A name does not mix words of two languages. */
const LANGUAGES: readonly PartyNames[] = [
  {
    first: ['firstname', 'fname', 'givenname', 'forename'],
    last: ['lastname', 'lname', 'surname', 'familyname'],
    prefixes: {
      ship_to: splitWords(
        'shipto ship shipping delivery deliveryto recipient consignee postto shippingaddress',
      ).concat(''),
      sold_to: splitWords('billto bill billing soldto sold invoice buyer billingaddress ?customer'),
      ship_from: splitWords('shipfrom shippedfrom from origin sender shipper warehouse'),
    },
    parts: {
      name1: splitWords(
        'name name1 fullname contactname contact recipient recipientname companyorname ?customername ?customer',
      ),
      name2: splitWords('name2 company companyname attention attn'),
      street1: splitWords(
        'address1 addressline1 street1 address street addressone streetaddress line1 addr1 address12 streetline1',
      ),
      street2: splitWords(
        'address2 addressline2 street2 addresstwo line2 addr2 streetline2 apartment apt roomflooraddress2',
      ),
      city: ['city', 'town', 'suburb', 'cityname', 'cityortown'],
      province: splitWords(
        'state province stateprovince stateorprovince region statecode provincecode stateregion stateprovincecounty ?stateabbreviation ?statename ?provincename',
      ),
      postal_code: splitWords('zip zipcode postalcode postcode zippostalcode postal postalzip'),
      country: ['country', 'countrycode', 'countryname', 'countryiso', 'countryterritory', 'countryregion'],
      phone1: splitWords(
        'phone phonenumber phone1 telephone tel mobile dayphone ??customerphone ??customerphonenumber',
      ),
      phone: splitWords('phone phonenumber phone1 telephone tel'),
      phone2: ['phone2', 'telephone2', 'eveningphone'],
      fax: ['fax', 'faxnumber'],
      email: ['email', 'emailaddress', 'mail', '??customeremail', '??buyeremail'],
    },
  },
  {
    first: ['vorname', 'prenom', 'nombre'],
    last: splitWords('nachname familienname nom apellido apellidos'),
    prefixes: {
      ship_to: splitWords(`
        liefer lieferung lieferadresse lieferanschrift versand empfaenger livraison destinataire envio
        entrega destinatario
      `).concat(''),
      sold_to: splitWords('rechnung rechnungs rechnungsadresse kaeufer facturation acheteur facturacion'),
      ship_from: splitWords('absender lager expediteur remitente almacen'),
    },
    parts: {
      name1: splitWords('empfaenger empfaengername ?kunde ?kundenname nom destinataire ?client nombre'),
      name2: splitWords('firma zusatz societe entreprise empresa'),
      street1: splitWords('strasse str anschrift adresse adresse1 strasse1 rue direccion calle'),
      street2: splitWords('adresszusatz adresse2 strasse2 complement complementadresse direccion2'),
      city: splitWords('ort stadt wohnort ville ciudad poblacion localidad'),
      province: splitWords('bundesland bundesstaat kanton provinz departement provincia estado'),
      postal_code: splitWords('plz postleitzahl codepostal cp codigopostal'),
      country: splitWords('land laendercode landcode pays codepays pais'),
      phone1: splitWords('telefon telefonnummer telefono movil handy'),
      phone: ['telefon', 'telefonnummer', 'telefono'],
      email: ['emailadresse', 'courriel', 'correo', 'correoelectronico'],
    },
  },
]

const ORDER_NUMBER = splitWords(`
  ponumber po purchaseordernumber purchaseorder pono ponum customerponumber customerpo partnerpo
  purchaseorderno ordernumber orderid orderno order ?orderref ?orderreference ?reference ?salesrecordnumber
  ?code ?name bestellnummer bestellnr auftragsnummer auftragsnr auftrag bestellung numerocommande
  ordernum ?salesorder ?salesordernumber numerodecommande nocommande commande numerodepedido numeropedido npedido pedido ?belegnummer
`)

/** A parcel's weight and sizes. */
function nameMeasure(name: string): string[] {
  return ['', 'ship', 'package', 'parcel', 'shipment', 'shipping', 'carton'].flatMap((prefix) =>
    ['', 'oz', 'lb', 'lbs', 'kg', 'grams', 'in', 'cm'].map((unit) => prefix + name + unit),
  )
}

/** By the path of the field. */
const FIELD_NAMES: Names = {
  purchase_order_number: ORDER_NUMBER,
  order_id: ORDER_NUMBER.concat(splitWords('??packagereference1 ??reference1 ??packagereference')),
  customer_order_number: splitWords(`
    customerorder customerordernumber customerorderno consumerorder consumerordernumber webordernumber
    weborder salesordernumber ?ordernumber ?orderid ?orderno ?order
  `),
  ordered_at: splitWords(`
    orderdate orderedat dateordered orderdatetime saledate dateplaced orderplaced purchasedate podate ordercreated createdat ?date ?datecreated
    ?created bestelldatum auftragsdatum datecommande datedecommande fechapedido fechadepedido ?datum ?fecha
  `),
  gift_message: splitWords(`
    giftmessage giftmessagetext giftnote ?gift ?notes ?message grussbotschaft geschenknachricht messagecadeau
    mensajederegalo
  `),
  'order_lines.variant.identifier': ITEM,
  'order_lines.variant.upc': UPC,
  'order_lines.quantity': QUANTITY,
  'order_lines.net_price': splitWords(`
    cost unitcost netprice costprice wholesaleprice wholesale expectedcost lineitemexpectedcost
    vendorcost dropshipcost suppliercost supplierprice netunitprice einkaufspreis ekpreis ek eknetto nettopreis kosten
    prixachat prixdachat prixnet cout preciocompra costo coste ??itemcost ??price ??unitprice ??itemprice ??preis ??prix
    ??precio
  `),
  'order_lines.price': splitWords(`
    retail retailprice sellingprice shopprice storeprice consumerprice customerprice grossprice msrp verkaufspreis
    vkpreis vk vkbrutto uvp ??price ??unitprice ??itemprice ??itemcost ??lineitemprice ??productunitprice ?soldfor ?amount ??preis
    ??einzelpreis ??stueckpreis ??prix ??prixunitaire ??precio ??preciounitario
  `),
  variant_id: splitWords('variantid').concat(ITEM),
  'cancel_lines.variant.identifier': ITEM,
  'cancel_lines.variant.upc': UPC,
  'cancel_lines.quantity': splitWords('cancelledquantity canceledquantity cancelquantity cancelqty').concat(
    QUANTITY,
  ),
  shipped_at: splitWords(`
    shipdate shippedat dateshipped shipmentinformationcollectiondate ?collectiondate ?pickupdate shippeddate shipmentdate dispatchdate ?date versanddatum lieferdatum
    dateexpedition datedexpedition fechaenvio ?datum
  `),
  tracking_number: splitWords(`
    trackingnumber packagetrackingnumber shipmenttrackingnumber tracking trackingno trackingid trackingcode waybill pro sendungsnummer trackingnummer
    paketnummer numerodesuivi numerodeseguimiento
  `),
  label_reference: splitWords('labelreference'),
  ship_weight: nameMeasure('weight').concat(splitWords('gewicht poids peso')),
  ship_width: nameMeasure('width'),
  ship_length: nameMeasure('length'),
  ship_height: nameMeasure('height'),
  'shipment_lines.variant.brand_identifier': ITEM,
  'shipment_lines.variant.upc': UPC,
  'shipment_lines.quantity': QUANTITY,
  invoice_number: splitWords(`
    invoicenumber invoice invoiceno invoiceid invno invnumber billnumber rechnungsnummer rechnungsnr
    numerofacture numerodefacture numerofactura numerodefactura
  `),
  terms_net_days_due: splitWords(`
    netdays termsnetdays termsdays daysdue netterms ?terms zahlungsziel zahlungszieltage
  `),
  terms_date_due: splitWords(`
    duedate datedue termsdatedue paymentdue paymentduedate faelligkeitsdatum faelligam faelligkeit echeance
    dateecheance vencimiento
  `),
  due_amount: splitWords(`
    invoicetotal grandtotal grandtotalbase invoiceamount totalinvoiceamount amountdue dueamount totaldue ?totalamount ?total ?amount rechnungsbetrag
    gesamtbetrag montanttotal montant importetotal ?betrag ?importe
  `),
  'invoice_lines.variant.identifier': ITEM,
  'invoice_lines.variant.upc': UPC,
  'invoice_lines.quantity': QUANTITY,
  'invoice_lines.net_price': splitWords(`
    cost unitcost netprice itemcost costprice wholesaleprice wholesale expectedcost lineitemexpectedcost
    vendorcost dropshipcost netunitprice unitprice itemprice ?price ?rate einkaufspreis ekpreis ek nettopreis
    kosten prixachat prixdachat prixnet cout preciocompra costo coste preis einzelpreis stueckpreis
    verkaufspreis vkpreis vk prix prixunitaire precio preciounitario
  `),
}
