/** How the status page looks: readable on a wall and on a telephone, by day and by night. */
import type { Html } from '../support/html.ts'

export const PAGE_STYLE: Html = {
  html: `<style>
    :root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --faint: #5b6470; --line: #d8dde3; --bad: #a4161a; --good: #14663a; --mark: #fff4e5 }
    @media (prefers-color-scheme: dark) {
      :root { --ground: #15181c; --ink: #e6e9ed; --faint: #9aa4b0; --line: #333a42; --bad: #ff9a9a; --good: #7fd6a2; --mark: #2e2618 }
    }
    body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
    h1 { margin: 0; font-size: 1.8rem }
    h1.well { color: var(--good) }
    h1.needs { color: var(--bad) }
    h2 { margin: 2rem 0 0.5rem; font-size: 1.15rem }
    ul.needs { margin: 0; padding: 0; list-style: none }
    ul.needs li { margin: 0 0 0.6rem; padding: 0.7rem 1rem; background: var(--mark); border-left: 4px solid var(--bad); overflow-wrap: anywhere }
    small { color: var(--faint) }
    .wide { overflow-x: auto }
    table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
    th, td { padding: 0.35rem 0.9rem 0.35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
    th { color: var(--faint); font-weight: 600; white-space: nowrap }
    td:first-child { overflow-wrap: anywhere }
    td em { color: var(--bad); font-style: normal; font-weight: 600 }
    a { color: inherit }
    code { font-size: 0.9em }
  </style>`,
}
