/** German, French and Spanish names seen in files, folded, with `ae` for `ä` and without accents; `?` marks those that may mean other things. */
import { asciiOf } from '../../../mapping/values/ascii.ts'

/** Column names of these languages in plain letters: `Straße` is `strasse`, `Préférence` is `preference`. */
export function inPlainLetters(folded: string): string {
  const spelled = folded.replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter)
  return Array.from(spelled, (letter) => asciiOf(letter) ?? letter).join('')
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' }

export const FOREIGN_PARTIES: Readonly<Record<string, readonly string[]>> = {
  ship_to: [
    'liefer',
    'lieferung',
    'lieferadresse',
    'lieferanschrift',
    'versand',
    'empfaenger',
    'livraison',
    'destinataire',
    'envio',
    'entrega',
    'destinatario',
    '',
  ],
  sold_to: ['rechnung', 'rechnungs', 'rechnungsadresse', 'kaeufer', 'facturation', 'acheteur', 'facturacion'],
  ship_from: ['absender', 'lager', 'expediteur', 'remitente', 'almacen'],
}

export const FOREIGN_ADDRESS: Readonly<Record<string, readonly string[]>> = {
  name1: ['empfaenger', 'empfaengername', 'kunde', 'kundenname', 'nom', 'destinataire', 'client', 'nombre'],
  name2: ['firma', 'zusatz', 'societe', 'entreprise', 'empresa'],
  street1: ['strasse', 'str', 'anschrift', 'adresse', 'adresse1', 'strasse1', 'rue', 'direccion', 'calle'],
  street2: ['adresszusatz', 'adresse2', 'strasse2', 'complement', 'complementadresse', 'direccion2'],
  city: ['ort', 'stadt', 'wohnort', 'ville', 'ciudad', 'poblacion', 'localidad'],
  province: ['bundesland', 'kanton', 'provinz', 'departement', 'provincia', 'estado'],
  postal_code: ['plz', 'postleitzahl', 'codepostal', 'cp', 'codigopostal'],
  country: ['land', 'laendercode', 'landcode', 'pays', 'codepays', 'pais'],
  phone1: ['telefon', 'telefonnummer', 'telefono', 'movil', 'handy'],
  phone: ['telefon', 'telefonnummer', 'telefono'],
  email: ['emailadresse', 'courriel', 'correo', 'correoelectronico'],
}

const ORDER_NUMBER = [
  'bestellnummer',
  'bestellnr',
  'auftragsnummer',
  'auftragsnr',
  'auftrag',
  'bestellung',
  'numerocommande',
  'numerodecommande',
  'nocommande',
  'commande',
  'numerodepedido',
  'numeropedido',
  'npedido',
  'pedido',
  '?belegnummer',
]
const ITEM = [
  'artikelnummer',
  'artikelnr',
  'artnr',
  'artikel',
  'materialnummer',
  'referencearticle',
  'refarticle',
  'codearticle',
  'article',
  'codigoarticulo',
  'articulo',
  '?reference',
  '?referencia',
]
const UPC = ['eancode', 'eannummer', 'strichcode', 'codebarres', 'codigodebarras']
const QUANTITY = ['menge', 'anzahl', 'stueck', 'stueckzahl', 'quantite', 'qte', 'cantidad', 'unidades']
const COST = [
  'einkaufspreis',
  'ekpreis',
  'ek',
  'nettopreis',
  'kosten',
  'prixachat',
  'prixdachat',
  'prixnet',
  'cout',
  'preciocompra',
  'costo',
  'coste',
]
const PRICE = [
  'preis',
  'einzelpreis',
  'stueckpreis',
  'verkaufspreis',
  'vkpreis',
  'prix',
  'prixunitaire',
  'precio',
  'preciounitario',
]

/** By the path of the field. */
export const FOREIGN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  purchase_order_number: ORDER_NUMBER,
  order_id: ORDER_NUMBER,
  ordered_at: [
    'bestelldatum',
    'auftragsdatum',
    'datecommande',
    'datedecommande',
    'fechapedido',
    'fechadepedido',
    '?datum',
    '?fecha',
  ],
  gift_message: ['grussbotschaft', 'geschenknachricht', 'messagecadeau', 'mensajederegalo'],
  'order_lines.variant.identifier': ITEM,
  'order_lines.variant.upc': UPC,
  'order_lines.quantity': QUANTITY,
  'order_lines.net_price': COST,
  'order_lines.price': PRICE,
  shipped_at: ['versanddatum', 'lieferdatum', 'dateexpedition', 'datedexpedition', 'fechaenvio', '?datum'],
  tracking_number: [
    'sendungsnummer',
    'trackingnummer',
    'paketnummer',
    'numerodesuivi',
    'numerodeseguimiento',
  ],
  ship_weight: ['gewicht', 'poids', 'peso'],
  'shipment_lines.variant.brand_identifier': ITEM,
  'shipment_lines.variant.upc': UPC,
  'shipment_lines.quantity': QUANTITY,
  invoice_number: [
    'rechnungsnummer',
    'rechnungsnr',
    'numerofacture',
    'numerodefacture',
    'numerofactura',
    'numerodefactura',
  ],
  terms_net_days_due: ['zahlungsziel', 'zahlungszieltage'],
  terms_date_due: [
    'faelligkeitsdatum',
    'faelligam',
    'faelligkeit',
    'echeance',
    'dateecheance',
    'vencimiento',
  ],
  due_amount: [
    'rechnungsbetrag',
    'gesamtbetrag',
    'montanttotal',
    'montant',
    'importetotal',
    '?betrag',
    '?importe',
  ],
  'invoice_lines.variant.identifier': ITEM,
  'invoice_lines.variant.upc': UPC,
  'invoice_lines.quantity': QUANTITY,
  'invoice_lines.net_price': [...COST, ...PRICE],
}

export const FOREIGN_FIRST_NAMES = ['vorname', 'prenom', 'nombre']
export const FOREIGN_LAST_NAMES = ['nachname', 'familienname', 'nom', 'apellido', 'apellidos']
