/**
 * Keeps an open page fresh: when the server says that the journal changed, the page is fetched again, and each element with
 * an id and `data-live` is changed where it differs. What is typed, focused and scrolled stays. Pages work without it.
 */
;(() => {
  const address = document.body.dataset.liveFrom
  if (address === undefined || !('EventSource' in window)) return
  const policy = window.trustedTypes?.createPolicy('dropbridge', { createHTML: (text) => text })
  /** At most one refresh in this time. */
  const PAUSE_MS = 1000
  /** Without a stream for this long, the page is refreshed by time. */
  const PATIENCE_MS = 30_000
  const state = document.getElementById('live-state')
  let source
  let lostAt
  let fallback
  let isWanted = false
  let isBusy = false

  function say(text) {
    if (state === null || state.textContent === text) return
    state.textContent = text
    state.hidden = text === ''
  }

  async function refresh() {
    isWanted = true
    if (isBusy) return
    isBusy = true
    while (isWanted) {
      isWanted = false
      await fetchAndMorph().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    isBusy = false
  }

  /** Only its head changes, and that of the search is made sooner. */
  const isStill = document.querySelector('main [data-live]') === null

  async function fetchAndMorph() {
    const from = isStill ? '/search' : location.href
    const answer = await fetch(from, { headers: { accept: 'text/html' }, redirect: 'manual' })
    // Signed out meanwhile: the next load shows the sign-in.
    if (answer.type === 'opaqueredirect') {
      source?.close()
      say('Signed out. Load the page again to sign in.')
      return
    }
    if (!answer.ok) return
    const text = await answer.text()
    const fresh = new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html')
    for (const element of document.querySelectorAll('[data-live][id]')) {
      const other = fresh.getElementById(element.id)
      if (other !== null) morph(element, other)
    }
    if (isStill) return
    document.body.dataset.seen = fresh.body.dataset.seen
    const title = fresh.querySelector('main > h1')
    const shown = document.querySelector('main > h1')
    if (title && shown && title.textContent !== shown.textContent) morph(shown, title)
    document.title = fresh.title
  }

  function isInUse(element) {
    if (!/^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)) return false
    return element === document.activeElement || element.value !== element.defaultValue
  }

  /** What was unfolded, chosen or typed stays. */
  function isKept({ tagName, type }, name) {
    if (tagName !== 'INPUT') return name === 'open'
    return type !== 'hidden' && (name === 'value' || name === 'checked')
  }

  /** Makes one element like another, keeping the nodes that are there. */
  function morph(into, from) {
    if (into.isEqualNode(from) || isInUse(into)) return
    for (const { name } of Array.from(into.attributes))
      if (!from.hasAttribute(name) && !isKept(into, name)) into.removeAttribute(name)
    for (const { name, value } of from.attributes)
      if (into.getAttribute(name) !== value && !isKept(into, name)) into.setAttribute(name, value)
    const wanted = [...from.childNodes]
    const ids = new Set(wanted.map(({ id }) => id))
    for (const child of Array.from(into.children)) if (child.id && !ids.has(child.id)) child.remove()
    wanted.forEach((node, index) => {
      const known = node.id ? [...into.children].find(({ id }) => id === node.id) : into.childNodes[index]
      // What moves loses the focus, so others make way.
      const isInTheWay = (other) => other !== undefined && other !== known && !other.id
      while (node.id && known && isInTheWay(into.childNodes[index])) into.childNodes[index].remove()
      const here = into.childNodes[index]
      if (known?.nodeName !== node.nodeName || known.id !== node.id) {
        into.insertBefore(document.importNode(node, true), here ?? null)
        return
      }
      if (known !== here) into.insertBefore(known, here)
      if (node.nodeType === Node.ELEMENT_NODE) morph(known, node)
      else if (known.nodeValue !== node.nodeValue) known.nodeValue = node.nodeValue
    })
    while (into.childNodes.length > wanted.length) into.lastChild.remove()
  }

  function connect() {
    if (document.hidden || source !== undefined) return
    source = new EventSource(address)
    // The stream opens, and then its first event of this name has the mark of what can be read now.
    source.addEventListener('open', ({ data }) => {
      clearInterval(fallback)
      fallback = undefined
      lostAt = undefined
      say('')
      const { seen } = document.body.dataset
      if (data !== undefined && seen !== undefined && data !== seen) void refresh()
    })
    source.addEventListener('change', () => void refresh())
    source.addEventListener('error', () => {
      lostAt ??= new Date()
      say(`Not live since ${lostAt.toLocaleTimeString()}, connecting again.`)
      fallback ??= setInterval(() => void refresh(), PATIENCE_MS)
      // A browser tries again by itself, but not after an answer that is no stream.
      if (source.readyState !== EventSource.CLOSED) return
      source = undefined
      setTimeout(connect, 5000)
    })
  }

  // Browsers allow six connections to a host: a tab that is hidden needs none.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      source?.close()
      source = undefined
    } else {
      connect()
      void refresh()
    }
  })
  connect()

  // Seconds that run down here; at the end the page is asked what is possible now.
  setInterval(() => {
    for (const element of document.querySelectorAll('[data-countdown]')) {
      const seconds = Number(element.textContent) - 1
      if (seconds >= 0) element.textContent = String(seconds)
      if (seconds === 0) void refresh()
    }
  }, 1000)

  // Rows that were typed into are sent or lost with the page.
  const typed = document.querySelector('form.correction')
  if (typed !== null) {
    let isSent = false
    typed.addEventListener('submit', () => (isSent = true))
    window.addEventListener('beforeunload', (event) => {
      const isTyped = [...typed.elements].some(({ value, defaultValue }) => value !== (defaultValue ?? value))
      if (isTyped && !isSent) event.preventDefault()
    })
  }

  /** A person may switch the key off, for this browser. */
  const isKeyOff = () => localStorage.getItem('search-key') === 'off'
  const keySwitch = document.querySelector('#key-switch button')
  if (keySwitch !== null) {
    const draw = () => keySwitch.setAttribute('aria-pressed', String(isKeyOff()))
    keySwitch.parentElement.hidden = false
    draw()
    keySwitch.addEventListener('click', () => {
      if (isKeyOff()) localStorage.removeItem('search-key')
      else localStorage.setItem('search-key', 'off')
      draw()
    })
  }

  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey || isKeyOff()) return
    const search = document.getElementById('search')
    if (search === null) return
    event.preventDefault()
    search.focus()
  })
})()
