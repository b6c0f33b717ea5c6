/** Several passes over one route told as one. */
import type { OutboundPass } from './outbound.ts'

/** How many records in trouble are named. */
const NAMED_MAX = 100

export function joinPasses(route: string, passes: readonly OutboundPass[]): OutboundPass {
  const awaited = passes.findLast((pass) => pass.awaited !== undefined)?.awaited
  const held = passes.findLast((pass) => pass.heldDeliveries !== undefined)?.heldDeliveries
  return {
    route,
    ...(awaited === undefined ? {} : { awaited }),
    ...(held === undefined ? {} : { heldDeliveries: held }),
    deliveries: passes.flatMap(({ deliveries }) => deliveries),
    held: passes.reduce((sum, { held }) => sum + held, 0),
    heldRecords: passes.flatMap(({ heldRecords }) => heldRecords).slice(0, NAMED_MAX),
    missing: passes.reduce((sum, { missing }) => sum + missing, 0),
    firstMissing: passes.flatMap(({ firstMissing }) => firstMissing).slice(0, NAMED_MAX),
  }
}
