/** All pages of the console, in the order of the navigation. */
import type { Page } from './page.ts'
import { todayPage } from './pages/today.ts'

export const PAGES: readonly Page<unknown>[] = [todayPage]
