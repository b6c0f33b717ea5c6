/** Alerts: what a person must do. The bridge reports each alert once and shows it until it ends. */
import type { CodeText } from '../support/errors.ts'

/** Every kind of alert, the most urgent first. The codes are stable; `docs/alerts.md` is printed from this table. */
export const ALERTS = {
  'disk-full': {
    title: 'A disk of the bridge is full.',
    fix: 'Make room on it; the next run continues.',
    details:
      'With a full disk of the state nothing is sent, and nothing new can be stored. Notifications about it are sent at most once an hour.',
  },
  'bridge-failing': {
    title: 'The bridge cannot work with its journal.',
    fix: 'See `dropbridge explain CODE` with the code of the failure.',
    details:
      'It cannot be opened, or it is older than the work done with it, or new in the place of another one. Nothing is sent meanwhile. Where it cannot be written, notifications about it are sent at most once an hour.',
  },
  'configuration-broken': {
    title: 'The configuration or a mapping on the disk has errors.',
    fix: 'Correct it, then: `dropbridge check` and `dropbridge reload`.',
    details:
      'A watch continues with what it loaded before; a run, and a watch that starts, would fail. `status`, `trace` and `why-not` use the last configuration that was at work.',
  },
  'receipt-refused': {
    title: 'A receipt lacks what `receipt.contains` asks for.',
    fix: 'Ask the reader of the files what is wrong with this one.',
    details: 'Nothing of the file is acknowledged until a receipt comes that has it.',
  },
  'pick-up-overdue': {
    title: 'A delivered file was not picked up in time.',
    fix: 'Ask why the file is not picked up.',
    details:
      'It stays there longer than `overdue.within`, or its records must be acknowledged soon. Nothing of it is acknowledged before; when their time is over, the retailer may cancel them.',
  },
  'receipt-overdue': {
    title: 'No receipt came for a delivered file in time.',
    fix: 'Find out whether the file was read.',
    details:
      'It waits longer than `overdue.within`, or its records must be acknowledged soon. Nothing of it is acknowledged before; when their time is over, the retailer may cancel them.',
  },
  'document-refused': {
    title: 'A partner refused documents that were sent to it.',
    fix: 'Mend the cause, then `dropbridge release FILE`; or `dropbridge dismiss FILE`.',
    details:
      'Its 997, 999, TA1 or CONTRL says what is wrong. `release` sends the records in a new interchange. Shown until a person does one of the two.',
  },
  'interchange-unanswered': {
    title: 'A partner did not answer an interchange in time.',
    fix: 'Ask the partner whether it came. If not: `dropbridge edi resend FILE`.',
    details:
      'Not all documents of the file were accepted or refused within `overdue.within`. Nothing is sent again by itself: a second order is an order. For a partner that never answers: `confirms: false`.',
  },
  'answer-contradicts': {
    title: 'A partner answered the same documents differently before.',
    fix: 'Ask the partner which answer is right, then: `dropbridge dismiss FILE`.',
    details: 'The first answer counts. Shown until a person dismisses the file that brought the second one.',
  },
  'answer-unmatched': {
    title: 'A partner answered what was not sent, or unreadably.',
    fix: 'Ask the partner what it answered, then: `dropbridge dismiss FILE`.',
    details:
      'No delivered interchange has the control number of the answer, or not the documents that it names; or the answer is damaged, or refuses an answer of ours. After a restored backup: numbers beyond the last known ones were used, see `dropbridge edi numbers`. Shown until a person dismisses the file.',
  },
  'order-late': {
    title: 'An order must be acknowledged or shipped soon.',
    fix: 'Acknowledge it or ship it. What the API says now: `dropbridge late --live`.',
    details:
      'Sooner than `alertIfLate` of the route says, or its time is over, as the bridge last saw the order. Each pass of the route reads such orders again; between passes the API is not asked.',
  },
  'delivery-held': {
    title: 'An outgoing file may have been delivered before.',
    fix: 'Ask its reader whether its records came, then: `dropbridge resolve FILE`.',
    details: 'The file is held. Its records may have come under another name.',
  },
  'journal-restored': {
    title: 'The journal was restored from a backup.',
    fix: 'When no older file can come again: `dropbridge restored --end --by NAME --why TEXT`.',
    details: 'Records of new files are looked up before they are first sent.',
  },
  'outcome-unknown': {
    title: 'Records have unknown outcomes for more than an hour.',
    fix: 'See `dropbridge status` and `dropbridge resolve`.',
    details: 'Their answers were lost, and the lookups gave no proof.',
  },
  'records-held': {
    title: 'Records of a file wait for a person to decide.',
    fix: 'See `dropbridge status`, then `dropbridge release` or `dropbridge discard`.',
  },
  'records-unwritten': {
    title: 'Outgoing records could not be written into a file.',
    fix: 'See `dropbridge run`; correct the mapping. The next run writes what was held.',
    details:
      'They are held and in no file, so their reader does not get them. Nothing of them is acknowledged. Shown until they are in a file.',
  },
  'documents-missing': {
    title: 'Packing slips or labels of accepted shipments are missing.',
    fix: 'Mend the cause, then run `dropbridge labels`. Do not send the file again.',
    details: 'They could not be fetched or written. Shown until they are in their folder.',
  },
  'record-unacknowledged': {
    title: 'A delivered record is not acknowledged.',
    fix: 'Its reader must leave it out; then `dropbridge dismiss ROUTE/ID --by NAME --why TEXT`.',
    details:
      'It was canceled, or changed otherwise, after its file was delivered, or the API refused to acknowledge it. The reader has it in a file. Shown until a person dismisses it, as ROUTE/ID or with all of its file.',
  },
  'file-unusable': {
    title: 'A file could not be used, and no other one came.',
    fix: 'Do what its problem says; when that is done: `dropbridge dismiss FILE --by NAME --why TEXT`.',
    details:
      'Shown until a file comes under its name or that of its rejects file, until another route takes the same bytes, or until a person dismisses it.',
  },
  'answer-overdue': {
    title: 'A partner is not answered in time.',
    fix: 'See `dropbridge run`; it says why the answer is not delivered.',
    details:
      'An answer to interchanges (997, 999, TA1 or CONTRL) is due and not delivered: the bridge does not run, or its folder is away.',
  },
  'sets-unrouted': {
    title: 'Documents of a file are taken by no route.',
    fix: 'Add a route for them and drop the exceptions file in, or `dropbridge dismiss FILE`.',
    details:
      'No route of the inbox takes the document of the partner, or more than one could; NAME.sets.csv says which. The answer accepts them all the same, where `unrouted: refuse` of the partner does not say otherwise. Shown until its exceptions file comes, or until a person dismisses it.',
  },
  'partner-unknown': {
    title: 'An interchange is from or to an unknown party.',
    fix: 'If you know it, add its address to `ids` of its partner. Then: `dropbridge retake FILE`.',
    details:
      'Nothing of it was sent or answered; NAME.sets.csv has its addresses. Shown until the file is taken again or its exceptions file comes, or until a person dismisses it.',
  },
  'number-reused': {
    title: 'An interchange has a control number that came before.',
    fix: 'If you corrected it, name it `.rejects.`; else have it sent under a new number, or dismiss it.',
    details:
      'Its contents differ from those of the earlier one, and nothing of it was sent. Shown until the same interchange is taken, such as by a retake or under a name with `.rejects.`, until a file comes under its name, or until a person dismisses it: that it came again under a new number, only a person knows.',
  },
  'file-vanished': {
    title: 'A file was removed before it was read.',
    fix: 'Have it sent again, or: `dropbridge dismiss FILE --by NAME --why TEXT`.',
    details:
      'It was in the inbox, and another program removed it before or after the bridge claimed it. Nothing of it was sent. Shown until a file comes under its name, or until a person dismisses it.',
  },
  'records-rejected': {
    title: 'Rejected records of a file are not corrected.',
    fix: 'Correct its rejects file and drop it in under its name, or: `dropbridge dismiss FILE`.',
    details:
      'Shown until a later file of the route has records with the same key cells accepted, or until their rejects file comes under its name, or until a person dismisses the file, or one record as ROUTE/KEY.',
  },
  'route-failing': {
    title: 'The latest work of a route failed.',
    fix: 'See `dropbridge explain CODE` with the code of the failure.',
    details: 'What is unfinished continues with the next pass that can.',
  },
  'disk-nearly-full': {
    title: 'A disk of the bridge is nearly full.',
    fix: 'Make room on it, before the bridge stops.',
    details:
      'It has less room than `alertIfDiskBelow`, or than a tenth of a small disk. The disks of the state, the journal and the folders of mailboxes of this machine are checked.',
  },
  'file-appended': {
    title: 'A file was appended to after it was archived.',
    fix: 'Move it from the archive to the inbox; raise `stableFor`, or use a `marker`.',
    details:
      'Its writer paused for longer than `stableFor`. What was sent of it counts as duplicate. Checked for the latest 2000 files of a route, for 36 hours.',
  },
  'configuration-changed': {
    title: 'A watch works with an older configuration or mapping.',
    fix: '`dropbridge check`, then `dropbridge reload`.',
    details:
      'The configuration, a mapping, or a file that it extends or looks values up in was changed while the watch was running.',
  },
  'watcher-lost': {
    title: 'A watcher ended without being asked to.',
    fix: 'Find out why, and start `dropbridge watch` again: it continues where it was.',
    details:
      'It was killed, or its machine went down. Shown until another one watches its routes, for a week at most.',
  },
  'run-overdue': {
    title: 'A scheduled run is overdue by more than an hour.',
    fix: 'Check that `dropbridge watch`, or the scheduler of `dropbridge run --due`, is running.',
  },
  'runs-missed': {
    title: 'Reports of some business dates were not made.',
    fix: 'Make what is missing with `dropbridge export`.',
    details: 'They were farther back than `catchUp` when a bridge ran again. Shown for a week.',
  },
  'expected-file-missing': {
    title: 'An expected file did not come in time.',
    fix: 'Ask its sender. The file is taken whenever it comes.',
    details: '`from.expectFile` says when it should come.',
  },
  'mailbox-away': {
    title: 'A mailbox cannot be read.',
    fix: 'Check that it exists, is mounted or reachable, and may be read.',
    details: 'It is not known what is there.',
  },
  'source-removed': {
    title: 'A claimed file was removed before it was archived.',
    fix: 'Its records are done: `dropbridge dismiss FILE --by NAME --why TEXT`.',
    details: 'Another program removed it from `.claimed`, so the archive lacks it. Nothing else is lost.',
  },
  'route-paused': {
    title: 'A person paused a route.',
    fix: 'Nothing, if that is right: it ends by itself. Sooner: `dropbridge resume ROUTE`.',
    details: 'No pass over the route begins until then: nothing is taken, sent, looked up or delivered.',
  },
  'route-not-configured': {
    title: 'A removed route has unfinished work.',
    fix: 'Give the route back its name in the configuration.',
  },
  'file-waiting': {
    title: 'A file waits for its sidecar or an earlier number.',
    fix: 'See `dropbridge why-not FILE`.',
    details: 'It waits for its marker, its manifest, or the file with the number before it.',
  },
  'marker-orphaned': {
    title: 'A marker or manifest has no data file.',
    fix: 'Ask its sender for the file, or remove it.',
  },
  'receipt-unknown': {
    title: 'A receipt matches no delivered file.',
    fix: 'Rename it to the expected name, or remove it.',
    details: 'Its name is wrong, or it came twice.',
  },
  'file-misplaced': {
    title: 'A file stands beside an inbox, or in a folder within it.',
    fix: 'Move it into the inbox, or out of this folder if it is not meant for a route.',
    details:
      'It is in the mailbox itself, in the folder above an inbox, in one within it or with almost its name, or beside exports or results, and has a name that a route would take. No run looks there. Where the mapping of a route reads its columns, the fix names that inbox. Folders within an inbox are checked on this machine only, three levels down.',
  },
  'inbox-mistyped': {
    title: 'A folder with nearly the name of an empty inbox has files.',
    fix: 'If that folder is meant, correct `folder` under `from`; if not, move its files.',
    details:
      'The folder stands beside the inbox, or is the same without the path of its mailbox, and no route reads it. Checked on this machine only.',
  },
  'file-unmatched': {
    title: 'No route will ever read a file in an inbox.',
    fix: 'Rename it, or change `match` of the route.',
    details:
      'It matches no route, has a name that is never taken, is a link or a folder, or has had the name of an unfinished file for an hour.',
  },
  'folder-not-emptied': {
    title: 'Files stay in a results or delivery folder for too long.',
    fix: 'Find its reader; remove what is read, or set `alertIfNotEmptied: never`.',
    details: 'Longer than `alertIfNotEmptied`.',
  },
} as const satisfies Record<string, CodeText>

export type AlertCode = keyof typeof ALERTS

/** One alert. Code, route and subject identify it; its message may change. */
export interface Alert {
  readonly code: AlertCode
  readonly route?: string
  /** What it is about: a file, a folder, a day. */
  readonly subject: string
  /** Since when it is so, milliseconds. */
  readonly since: number
  readonly message: string
  readonly fix: string
}

/** An alert with the fix of its kind. It needs its own only where that fix has a value in it, such as a name. */
export function createAlert(alert: Omit<Alert, 'fix'> & { readonly fix?: string }): Alert {
  return { fix: ALERTS[alert.code].fix, ...alert }
}

/** The results of passes: which routes were tried, and which of them failed. */
export interface RouteResults {
  readonly routes: readonly string[]
  readonly failures: readonly RouteFailure[]
}

export interface RouteFailure {
  readonly route: string
  readonly code: string
  /** Without text of the API. */
  readonly message: string
  readonly fix: string
}

/** An alert that began or ended, in the order of the journal. */
export interface AlertChange {
  /** Grows by one with every change. */
  readonly cursor: number
  readonly change: 'raised' | 'ended'
  /** The cursor of the change that raised it. */
  readonly raisedCursor: number
  readonly at: number
  readonly alert: Alert
}

/** The part of the journal that remembers alerts, so that each is reported once. */
export interface AlertJournal {
  /**
   * Compares the alerts found with the active ones and returns the changes. A new alert is raised; a missing one has ended,
   * unless `isUnchecked` says that it could not be checked. A standing failure of a route gets the words of the latest one,
   * which is no change. Several bridges may call this at once.
   */
  updateAlerts(found: readonly Alert[], isUnchecked: (it: Alert) => boolean): Promise<readonly AlertChange[]>
  /** Lists active alerts as last noted, the most urgent first. */
  listActiveAlerts(limit: number): Promise<readonly Alert[]>
  /** In their order. */
  listAlertChanges(afterCursor: number, limit: number): Promise<readonly AlertChange[]>
}

const URGENCY = Object.keys(ALERTS)

/** The most urgent first, then the oldest. */
export function compareUrgency(one: Alert, other: Alert): number {
  return URGENCY.indexOf(one.code) - URGENCY.indexOf(other.code) || one.since - other.since
}

/** The key by which an alert is identified. */
export function alertKey({ code, route = '', subject }: Alert): string {
  return JSON.stringify([code, route, subject])
}
