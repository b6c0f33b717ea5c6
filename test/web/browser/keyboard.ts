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
      // To find an element by its role takes the longer the larger the page is, so it is found again only when it is gone.
      let found = await element.elementHandle()
      for (let tabs = 0; tabs < tabsMax;) {
        const place = await compareFocus(found)
        if (place === 'here') return
        if (place === 'gone') found = await element.elementHandle()
        else {
          await keyboard.press('Tab')
          tabs++
        }
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

type Found = Awaited<ReturnType<Locator['elementHandle']>>

/** Whether the focus is at the element; a page that shows by itself what came replaces its elements. */
async function compareFocus(element: Found): Promise<'here' | 'elsewhere' | 'gone'> {
  // The context of an element ends with its page.
  const focus = await element
    ?.evaluate((each) => [each.isConnected, each.ownerDocument.activeElement === each])
    .catch(() => undefined)
  if (focus?.[0] !== true) return 'gone'
  return focus[1] === true ? 'here' : 'elsewhere'
}

export async function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((each) => each.ownerDocument.activeElement === each)
}
