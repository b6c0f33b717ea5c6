/** Lists the names that files use for items and their attributes. `?` and `??` mark ambiguous names, as in `spellings.ts`. */

export function splitWords(list: string): string[] {
  return list.trim().split(/\s+/)
}

export const ITEM = splitWords(`
  sku itemsku lineitemsku productsku merchantsku sellersku vendorsku suppliersku variantsku customlabel itemnumber itemno itemcode
  ?item productcodesku productcode partnumber stylenumber ?itemid ?productid ?style ?product artikelnummer
  artikelnr artnr artikel materialnummer referencearticle refarticle codearticle article codigoarticulo
  articulo ?reference ?referencia
`)

export const UPC = splitWords(`
  upc upccode itemupc productupc variantbarcode barcode gtinupceanorisbn gtin ean ean13 upcean gtin14 eancode eannummer strichcode codebarres
  codigodebarras
`)

export const QUANTITY = splitWords(`
  qty quantity quantityordered qtyordered orderedqty orderqty quantitypurchased lineitemquantity itemqty
  itemquantity productqty productquantity quantityrefund quantityshipped qtyshipped shippedqty qtyinvoiced ?units ?pieces menge anzahl stueck stueckzahl
  quantite qte cantidad unidades
`)

const RETAIL = splitWords(`
  msrp msrpprice retailprice regularprice listprice rrp suggestedretailprice retail uvp verkaufspreis vkpreis vk
  vkbrutto ?variantprice ?price ?sellingprice
`)

const COST = splitWords(`
  cost costprice costperitem unitcost itemcost wholesale wholesaleprice netprice suppliercost dealercost
  einkaufspreis ekpreis ek eknetto
`)

/** The attributes of an item in a catalogue, by the path of the field. */
export const VARIANT_NAMES: Readonly<Record<string, readonly string[]>> = {
  'attributes.identifier': ITEM,
  'attributes.name': splitWords(`
    name title productname producttitle itemname itemtitle variantname ?itemdescription bezeichnung artikelname
    titre titulo
  `),
  'attributes.description': splitWords(`
    description longdescription productdescription fulldescription body bodyhtml beschreibung descripcion
    ?shortdescription
  `),
  'attributes.upc': UPC,
  'attributes.parent_identifier': splitWords(`
    parentidentifier parentsku parentid parent style stylenumber stylecode itemgroupid productgroup ?handle
  `),
  'attributes.parent_name': splitWords('parentname parenttitle stylename groupname'),
  'attributes.size': splitWords('size groesse taille talla'),
  'attributes.color': splitWords('color colour colorname colourname farbe couleur'),
  'attributes.category': splitWords(`
    category categories productcategory productcategories categoryname categorypath department kategorie
    categorie categoria
  `),
  'attributes.material': splitWords('material materials fabric matiere'),
  'attributes.finish': ['finish'],
  'attributes.collection': splitWords('collection collectionname series'),
  'attributes.manufacturer': splitWords(`
    manufacturer manufacturername brand brandname brands productbrand hersteller marke marca marque ?vendor
  `),
  'attributes.manufacturer_part_number': splitWords(`
    mpn manufacturerpartnumber manufacturerpart mfrpartnumber manufacturersku
  `),
  'attributes.cost': COST,
  'attributes.msrp': RETAIL,
  'attributes.inventory': splitWords(`
    inventory onhand stock stockquantity stocklevel currentstocklevel currentstock inventoryqty
    inventoryquantity variantinventoryqty quantityonhand qtyonhand availablequantity quantityavailable qtyavailable
    ?available ?qty ?quantity bestand lagerbestand
  `),
  'attributes.lead_time': splitWords('leadtime leaddays leadtimedays lieferzeit'),
  'attributes.cartons': splitWords('cartons numberofcartons'),
  'attributes.shipping_width': nameItemMeasure('width').concat('w', 'breite'),
  'attributes.shipping_height': nameItemMeasure('height').concat('h', 'hoehe'),
  'attributes.shipping_length': nameItemMeasure('length').concat('l', '?productdepth', '?depth', 'laenge'),
  'attributes.shipping_weight': nameItemMeasure('weight').concat('variantgrams', 'grams', 'gewicht', 'poids'),
  'attributes.retailer_sku': ['retailersku', 'oursku'],
  'attributes.retailer_item': ['retaileritem', 'ourstyle'],
  'attributes.retailer_item_name': ['retaileritemname', 'ourname'],
  'attributes.image_1': splitWords(
    'image1 image images imagesrc imageurl mainimage mainimageurl baseimage ?picture',
  ),
  ...Object.fromEntries(
    [2, 3, 4, 5, 6, 7, 8].map((n) => [`attributes.image_${n}`, [`image${n}`, `imageurl${n}`]]),
  ),
}

/** A weight or a size, of the item or its package. */
function nameItemMeasure(name: string): string[] {
  return ['shipping', '', 'product', 'item', 'package', 'variant', 'carton'].flatMap((prefix) =>
    ['', 'oz', 'lb', 'lbs', 'kg', 'grams', 'in', 'cm'].map((unit) => prefix + name + unit),
  )
}
