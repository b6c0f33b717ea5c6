/** All pages of the console, in the order of the navigation. */
import type { Page } from './page.ts'
import { clocksPage } from './pages/clocks.ts'
import { decidePages, dismissPages } from './pages/decide.ts'
import { correctPage } from './pages/correct.ts'
import { decisionPage, decisionsPage } from './pages/decisions.ts'
import {
  deliveriesPage,
  deliveryDownloadPage,
  deliveryPage,
  deliveryPreviewPage,
  redeliverPage,
} from './pages/deliveries.ts'
import { fileDownloadPages, filePage, filesPage } from './pages/files.ts'
import { proofPage } from './pages/proof.ts'
import { orderPage, recordPage } from './pages/records.ts'
import { reportsPage } from './pages/reports.ts'
import { resolveDeliveryPage, resolvePage } from './pages/resolve.ts'
import { pausePage, resumePage, routePage, routesPage } from './pages/routes.ts'
import { runAgainPage, runNowPage, runPage } from './pages/run.ts'
import { searchPage } from './pages/search.ts'
import { settingsPages } from './pages/settings.ts'
import { asidePage, todayPage } from './pages/today.ts'

export const PAGES: readonly Page<unknown>[] = [
  todayPage,
  asidePage,
  clocksPage,
  filesPage,
  filePage,
  ...fileDownloadPages,
  recordPage,
  proofPage,
  orderPage,
  deliveriesPage,
  deliveryPage,
  deliveryPreviewPage,
  deliveryDownloadPage,
  redeliverPage,
  routesPage,
  routePage,
  pausePage,
  resumePage,
  runNowPage,
  runAgainPage,
  runPage,
  reportsPage,
  decisionsPage,
  decisionPage,
  ...decidePages,
  ...dismissPages,
  correctPage,
  resolvePage,
  resolveDeliveryPage,
  ...settingsPages,
  searchPage,
]
