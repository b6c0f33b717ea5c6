/** What the endpoints of the administration do. */
import type { AdminEndpointName } from '../../admin/endpoints.ts'
import { type EndpointWords, says } from './endpoints.ts'

export const ADMIN_WORDS = {
  cancelForBrand: says(
    'Cancel for the supplier',
    'What a supplier cannot ship is canceled, also after the order was acknowledged.',
  ),
  changeOrder: says(
    'Change an order',
    "Sets the retailer's own number, the pickup or the generic shipping method; what is left out stays.",
  ),
  pickUpShipment: says('Pick up a shipment', 'The carrier takes the package.'),
  deliverShipment: says('Deliver a shipment', 'The carrier hands the package over.'),
  createRma: says('Create a return', 'Either side returns units of an order that were shipped.'),
  acceptRma: says('Accept a return', 'The supplier has received and inspected the items, and all is well.'),
  createCredit: says(
    'Issue a credit',
    'Credits an accepted return; without lines, all of it that is not credited yet.',
  ),
  changeInvoice: says(
    'Change an invoice',
    'Sets the discount, the address to pay to, charges and allowances; what is left out stays.',
  ),
  changeStock: says(
    'Set the stock of a variant',
    'The stock by warehouse; a warehouse that is not named has none.',
  ),
  listParties: says('List parties', 'All retailers and brands, with their accounts and clients.'),
  createParty: says(
    'Create a party',
    'A retailer or a brand; without an account it gets one of its own, and a client.',
  ),
  createClient: says('Create a client', 'Credentials for an account; the secret is shown this once.'),
  revokeClient: says('Revoke a client', 'Ends a client and its tokens at once.'),
  createCarrier: says('Create a carrier', 'A carrier with its shipping methods.'),
  listConnectionTerms: says(
    'List connections with their terms',
    'Every connection, and what was agreed for it.',
  ),
  createConnection: says(
    'Connect a retailer and a brand',
    'From then on they may trade, if it is Full and Active.',
  ),
  changeConnection: says('Change a connection', 'Level, status and terms; what is left out stays.'),
  createShippingAccount: says(
    'Create a shipping account',
    'An account with a carrier, for the orders of a connection.',
  ),
  getSwitches: says('Read the switches', 'Every switch of the service, and what it stands at.'),
  turnSwitches: says('Turn switches', 'Takes effect with the next request.'),
  getCounts: says('Count', 'How much the service holds, and how many faults have struck.'),
} satisfies Record<AdminEndpointName, EndpointWords>
