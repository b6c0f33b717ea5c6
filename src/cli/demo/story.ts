/** The chapters of the demo: what is dropped, and which routes run. */

export interface Chapter {
  readonly title: string
  /** Samples and the inbox folders they are dropped in; under another name where one is given. */
  readonly drops: readonly { readonly sample: string; readonly inbox: string; readonly as?: string }[]
  readonly routes: readonly string[]
}

export const STORY: readonly Chapter[] = [
  {
    title: 'The retailer drops its orders: three systems, three kinds of file',
    drops: [
      { sample: 'orders/harbor-vine-week.csv', inbox: 'orders' },
      { sample: 'orders/shopify-orders.csv', inbox: 'shopify' },
      { sample: 'orders/dropstream-orders.csv', inbox: 'dropstream' },
    ],
    routes: ['orders-in', 'shopify-in', 'dropstream-in'],
  },
  {
    title: 'The supplier receives its new orders as a file; then they are acknowledged',
    drops: [],
    routes: ['orders-out'],
  },
  {
    title: 'The supplier ships, and the retailer receives the shipments',
    drops: [{ sample: 'shipments/northlight-shipments.csv', inbox: 'shipments' }],
    routes: ['shipments-in', 'shipments-out'],
  },
  {
    title: 'The supplier invoices, and the retailer receives the invoices',
    drops: [{ sample: 'invoices/northlight-invoices.csv', inbox: 'invoices' }],
    routes: ['invoices-in', 'invoices-out'],
  },
  {
    title: 'The same orders once more under another name, and every route again: nothing is sent twice',
    drops: [{ sample: 'orders/harbor-vine-week.csv', inbox: 'orders', as: 'harbor-vine-week-again.csv' }],
    routes: [],
  },
]
