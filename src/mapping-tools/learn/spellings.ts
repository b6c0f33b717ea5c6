/** Lists the names that files use for the fields of the API, the most specific first. */
import { foldColumnName } from '../../mapping/rows/columns.ts'
import { toAscii } from '../../mapping/values/text.ts'
import type { ColumnProfile } from './column-profile.ts'

export interface Spelling {
  /** Smaller is more specific. */
  readonly rank: number
  /** Whether a column of that name is nearly always this field. */
  readonly isSure: boolean
}

/** Ranks a column's name among the spellings of a field; undefined when it is not among them. */
export function findSpelling(field: string, column: string): Spelling | undefined {
  const spelled = [...listSpellings(field)].map((text) => ({
    name: text.replace('?', ''),
    isSure: !text.startsWith('?'),
  }))
  // ShipStation and the like write a section before the name: `Item - SKU`.
  const [, behind] = column.split(' - ')
  const names = [column, ...(behind === undefined ? [] : [behind])].map(normalizeName)
  for (const [penalty, name] of names.entries()) {
    const rank = spelled.findIndex((each) => each.name === name)
    if (rank !== -1) return { rank: rank + penalty * 50, isSure: spelled[rank]?.isSure === true }
  }
  return undefined
}

/** Normalizes a name as the tables spell it: `Préférence` is `preference`. In numbered columns `{n}` is the number. */
export function normalizeName(column: string): string {
  const folded = foldColumnName(column.replaceAll('{n}', ''))
  const spelled = folded.replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter)
  return Array.from(spelled, (letter) => toAscii(letter) ?? letter).join('')
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' }

export function splitWords(list: string): string[] {
  return list.trim().split(/\s+/)
}

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
  const own = FIELD_NAMES[path]
  if (own !== undefined) return own
  const [, party = '', part = ''] = /^(ship_to|sold_to|ship_from)[._](\w+)$/.exec(path) ?? []
  return LANGUAGES.flatMap(({ prefixes, parts }) =>
    (prefixes[party] ?? []).flatMap((prefix) => (parts[part] ?? []).map((name) => prefix + name)),
  )
}

// Names in English, German, French and Spanish, folded like column names; `?` marks ambiguous names.

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
      ship_to: splitWords('shipto ship shipping delivery deliveryto recipient consignee postto').concat(''),
      sold_to: splitWords('billto bill billing soldto sold invoice buyer'),
      ship_from: splitWords('shipfrom shippedfrom from origin sender warehouse'),
    },
    parts: {
      name1: splitWords('name name1 fullname contactname contact recipient recipientname customername'),
      name2: splitWords('name2 company companyname attention attn'),
      street1: splitWords(
        'address1 addressline1 street1 address street addressone streetaddress line1 addr1',
      ),
      street2: splitWords('address2 addressline2 street2 addresstwo line2 addr2 apartment apt'),
      city: ['city', 'town', 'suburb', 'cityname'],
      province: splitWords(
        'state province stateprovince stateorprovince region statecode provincecode stateregion',
      ),
      postal_code: splitWords('zip zipcode postalcode postcode zippostalcode postal postalzip'),
      country: ['country', 'countrycode', 'countryname', 'countryiso'],
      phone1: splitWords('phone phonenumber phone1 telephone tel mobile dayphone'),
      phone: splitWords('phone phonenumber phone1 telephone tel'),
      phone2: ['phone2', 'telephone2', 'eveningphone'],
      fax: ['fax', 'faxnumber'],
      email: ['email', 'emailaddress', 'mail'],
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
      name1: splitWords('empfaenger empfaengername kunde kundenname nom destinataire client nombre'),
      name2: splitWords('firma zusatz societe entreprise empresa'),
      street1: splitWords('strasse str anschrift adresse adresse1 strasse1 rue direccion calle'),
      street2: splitWords('adresszusatz adresse2 strasse2 complement complementadresse direccion2'),
      city: splitWords('ort stadt wohnort ville ciudad poblacion localidad'),
      province: splitWords('bundesland kanton provinz departement provincia estado'),
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
  numerodecommande nocommande commande numerodepedido numeropedido npedido pedido ?belegnummer
`)

const ITEM = splitWords(`
  sku itemsku lineitemsku productsku merchantsku sellersku vendorsku variantsku itemnumber itemno itemcode
  item customlabel productcode partnumber stylenumber ?itemid ?productid ?style ?product artikelnummer
  artikelnr artnr artikel materialnummer referencearticle refarticle codearticle article codigoarticulo
  articulo ?reference ?referencia
`)

const UPC = splitWords(`
  upc upccode itemupc barcode gtin ean ean13 upcean gtin14 eancode eannummer strichcode codebarres
  codigodebarras
`)

const QUANTITY = splitWords(`
  qty quantity quantityordered qtyordered orderedqty orderqty quantitypurchased lineitemquantity itemqty
  itemquantity quantityshipped qtyshipped shippedqty qtyinvoiced units pieces menge anzahl stueck stueckzahl
  quantite qte cantidad unidades
`)

/** By the path of the field. */
const FIELD_NAMES: Names = {
  purchase_order_number: ORDER_NUMBER,
  order_id: ORDER_NUMBER,
  customer_order_number: splitWords(`
    customerorder customerordernumber customerorderno consumerorder consumerordernumber webordernumber
    weborder salesordernumber ?ordernumber ?orderid ?orderno
  `),
  ordered_at: splitWords(`
    orderdate orderedat dateordered purchasedate podate orderdatetime ordercreated saledate createdat ?date
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
    cost unitcost netprice itemcost costprice wholesaleprice wholesale expectedcost lineitemexpectedcost
    vendorcost dropshipcost netunitprice einkaufspreis ekpreis ek nettopreis kosten prixachat prixdachat
    prixnet cout preciocompra costo coste
  `),
  'order_lines.price': splitWords(`
    retail retailprice sellingprice price unitprice itemprice lineitemprice grossprice msrp ?soldfor ?amount
    preis einzelpreis stueckpreis verkaufspreis vkpreis prix prixunitaire precio preciounitario
  `),
  shipped_at: splitWords(`
    shipdate shippedat dateshipped shippeddate shipmentdate dispatchdate ?date versanddatum lieferdatum
    dateexpedition datedexpedition fechaenvio ?datum
  `),
  tracking_number: splitWords(`
    trackingnumber tracking trackingno trackingid trackingcode waybill pro sendungsnummer trackingnummer
    paketnummer numerodesuivi numerodeseguimiento
  `),
  label_reference: splitWords('labelreference'),
  ship_weight: splitWords('weight shipweight weightlb weightlbs gewicht poids peso'),
  ship_width: splitWords('width shipwidth'),
  ship_length: splitWords('length shiplength'),
  ship_height: splitWords('height shipheight'),
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
    invoicetotal totalinvoiceamount amountdue dueamount totaldue totalamount total ?amount rechnungsbetrag
    gesamtbetrag montanttotal montant importetotal ?betrag ?importe
  `),
  'invoice_lines.variant.identifier': ITEM,
  'invoice_lines.variant.upc': UPC,
  'invoice_lines.quantity': QUANTITY,
  'invoice_lines.net_price': splitWords(`
    cost unitcost netprice itemcost costprice wholesaleprice wholesale expectedcost lineitemexpectedcost
    vendorcost dropshipcost netunitprice unitprice itemprice price ?rate einkaufspreis ekpreis ek nettopreis
    kosten prixachat prixdachat prixnet cout preciocompra costo coste preis einzelpreis stueckpreis
    verkaufspreis vkpreis prix prixunitaire precio preciounitario
  `),
}

// Shipping services: their column, and the API codes that its words probably mean.

export interface Services {
  readonly column: ColumnProfile
  /** Each word of the column, with the codes it probably means; empty where there is no clue. */
  readonly rows: readonly { readonly word: string; readonly carrier: string; readonly method: string }[]
  readonly why: string
}

/** Names of the columns for the shipping service and for the carrier. */
const SERVICE_NAMES = splitWords(`
  shipvia shippingmethod shipmethod shippingservice shipservicelevel servicelevel carrierserviceselected
  carrierservicerequested serviceselected carrierservice deliverymethod deliveryservice service versandart
  lieferart versandmethode modelivraison modedelivraison metodoenvio metododeenvio
`)

const CARRIER_NAMES = splitWords('carriercode scac carrier carriername shippingcarrier')

/** A longer table is no help: a person must fill it in. */
const MAX_WORDS = 200

/** Finds the column that says most about the shipping service. */
export function findServices(columns: readonly ColumnProfile[]): Services | undefined {
  for (const names of [SERVICE_NAMES, CARRIER_NAMES]) {
    for (const name of names) {
      const column = columns.find((each) => each.filled.length > 0 && matchesName(each.name, name))
      if (column === undefined || column.distinct.size > MAX_WORDS) continue
      return { column, rows: [...column.distinct].map(guessCodes), why: 'named so' }
    }
  }
  return undefined
}

function matchesName(column: string, name: string): boolean {
  return foldColumnName(column) === name || column.split(' - ').some((part) => foldColumnName(part) === name)
}

const CARRIERS: readonly (readonly [RegExp, string])[] = [
  [/fed\s?ex|fdeg|fdx/i, 'FDEG'],
  [/\bups\b|upsn/i, 'UPSN'],
  [/usps|postal|priority mail/i, 'USPS'],
]

const METHODS: readonly (readonly [RegExp, string])[] = [
  [/fed\s?ex.*ground/i, 'FEDEX_GROUND'],
  [/fed\s?ex.*2.?day/i, 'FEDEX_2_DAY'],
  [/fed\s?ex.*overnight/i, 'FEDEX_STANDARD_OVERNIGHT'],
  [/\bups\b.*ground/i, 'UPS_GROUND'],
  [/\bups\b.*2(?:nd)?.?day/i, 'UPS_2ND_DAY_AIR'],
  [/usps.*priority/i, 'USPS_PRIORITY'],
]

function guessCodes(word: string): Services['rows'][number] {
  const first = (known: readonly (readonly [RegExp, string])[]) =>
    known.find(([pattern]) => pattern.test(word))?.[1] ?? ''
  return { word, carrier: first(CARRIERS), method: first(METHODS) }
}
