/** Visitors without a mouse: they press keys, and each key is counted. */
import type { Locator, Page as BrowserPage } from 'playwright-core'

/** Few pages have more to step through. */
const TABS_MAX = 80

export function useKeyboard(page: BrowserPage, tabsMax = TABS_MAX) {
  let pressed = 0
  const keyboard = {
    press: async (key: string): Promise<void> => {
      pressed++
      await page.keyboard.press(key)
    },
    /** Text is typed besides. */
    type: (text: string): Promise<void> => page.keyboard.type(text),
    /** Steps forward to the element; throws where that does not lead there. */
    tabTo: async (element: Locator): Promise<void> => {
      for (let tabs = 0; tabs < tabsMax; tabs++) {
        if (await isFocused(element)) return
        await keyboard.press('Tab')
      }
      throw new Error(`${String(element)} is not reached by the keyboard`)
    },
    /** How many keys were pressed since it was asked last, without typed text. */
    countKeys: (): number => {
      const count = pressed
      pressed = 0
      return count
    },
  }
  return keyboard
}

export async function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((each) => each.ownerDocument.activeElement === each)
}
