/** The problems of EDI files: interchanges, groups, transaction sets (messages in EDIFACT) and segments. */
import type { CodeText } from '../support/errors.ts'

export const EDI_PROBLEMS = {
  'edi-not-found': {
    title: 'The file holds no EDI interchange.',
    fix: 'Send a file that begins with ISA (X12), or with UNA or UNB (EDIFACT).',
    details: 'Blank lines and a byte order mark may stand before it. EBCDIC must be converted before.',
  },
  'edi-cut-off': {
    title: 'The interchange has no end.',
    fix: 'Have the whole file sent again, or drop its rejects file in for the sets that are whole.',
    details:
      'IEA, GE or SE is missing (UNZ, UNE or UNT in EDIFACT): a file that was cut in transfer looks like this. Nothing of the open interchange is sent.',
  },
  'edi-delimiters': {
    title: 'The delimiters of the interchange cannot be found.',
    fix: 'Have the sender write a complete ISA, or UNA; delimiters are no letters or digits.',
  },
  'edi-between': {
    title: 'Text stands between two interchanges.',
    fix: 'Nothing to do if it is not needed: it was skipped.',
  },
  'edi-unfolded': {
    title: 'Line breaks stand inside segments.',
    fix: 'Have the sender not wrap lines: a blank at a break may be lost.',
    details: 'They were taken out.',
  },
  'edi-envelope': {
    title: 'The envelope of the interchange is damaged.',
    fix: 'Have the sender correct it and send the file again.',
    details: 'A segment stands where none may, or a control number is missing.',
  },
  'edi-count': {
    title: 'A count of the trailer is wrong.',
    fix: 'Compare with the sender. If nothing is missing: `dropbridge edi fix REJECTS --out FIXED`.',
    details: 'SE01 counts segments, GE01 sets, IEA01 groups; UNT and UNZ likewise.',
  },
  'edi-release-missing': {
    title: 'An apostrophe in a text ends its segment.',
    fix: "Write each apostrophe of a text as ?' there, or have the sender do so and send it again.",
    details:
      "EDIFACT only. `O'Leary` ends the segment at the apostrophe, and `Leary` is no segment; `O?'Leary` is the text. The text is cut, so nothing of the set is sent, and `dropbridge edi fix` does not mend the count.",
  },
  'edi-number-mismatch': {
    title: 'Two control numbers that must be the same differ.',
    fix: 'Compare with the sender. If nothing is missing: `dropbridge edi fix REJECTS --out FIXED`.',
    details: 'ISA13 and IEA02, GS06 and GE02, ST02 and SE02; in EDIFACT 0020, 0048 and 0062.',
  },
  'edi-test': {
    title: 'The interchange is marked as a test.',
    fix: 'Nothing to do. To post tests too, write `usage: any` under `read`.',
    details: 'ISA15 is T, or the test indicator of UNB is 1.',
  },
  'edi-document-unrouted': {
    title: 'No route takes documents of this kind here.',
    fix: 'Add a route for it and drop the exceptions file in, or `dropbridge dismiss FILE`.',
    details:
      'The mapping of the route reads another document; or no route of the inbox takes the document of this partner, or its `when` does not hold.',
  },
  'edi-routes-ambiguous': {
    title: 'More than one route could take the document.',
    fix: 'Give these routes a `when` that keeps them apart, and drop the exceptions file in again.',
  },
  'edi-partner-unknown': {
    title: 'The sender or the receiver of the interchange is unknown.',
    fix: 'If you know it, add its address to `ids` of its partner. Then: `dropbridge retake FILE`.',
    details:
      'Nothing is sent or answered. Addresses of partners are `ids` under `edi.partners`; our own are those of `edi.us`. The file that is taken again gives the rest to its routes, and that is answered; what was taken before is a duplicate. Its exceptions file can be dropped in instead, which is not answered.',
  },
  'edi-duplicate': {
    title: 'The same interchange came before.',
    fix: 'Nothing to do. If it is meant again, have it sent under a new control number.',
    details: 'Every byte is the same, line breaks aside. Nothing of it was sent.',
  },
  'edi-number-reused': {
    title: 'Another interchange had this control number.',
    fix: 'If you corrected it, name it `.rejects.` and drop it in; else have it sent under a new number.',
    details:
      'ISA13, or UNB 0020. The contents differ, and nothing of it was sent. Where sets of the earlier one wait for a correction, and this one has no more sets than these, it may be that correction: then its sender gets no TA1 or CONTRL about it. For a partner that never counts: `reused: accept`.',
  },
  'edi-refused-by-partner': {
    title: 'The partner refused the document.',
    fix: 'Mend the cause; `dropbridge release DELIVERY` sends its records anew, `dismiss` gives them up.',
    details:
      'The 997, 999 or CONTRL says what is wrong. With `acknowledge: receipt` and `receipt: { by: edi }` the record is not acknowledged at the API.',
  },
  'edi-noted-by-partner': {
    title: 'The partner accepted the document with errors.',
    fix: 'Nothing must be done for this one. Mend what it names before the next one.',
  },
  'edi-version': {
    title: 'The document has another version than the grammar expects.',
    fix: 'Nothing to do if it is read right. If not, add the version to the grammar.',
  },
  'segment-unknown': {
    title: 'The document has no such segment.',
    fix: 'Nothing to do if it is not needed. A path `any/…` reads it.',
  },
  'segment-misspelled': {
    title: 'A segment id is misspelled, or has a wrong separator.',
    fix: 'Have the sender correct it, and send the document again.',
    details:
      'Nothing of the document is sent: read as it is, it would lack a line (`P01`), or what the segment says (`N1|ST`).',
  },
  'segment-misplaced': {
    title: 'A segment stands where the document has no place for it.',
    fix: 'Have the sender put it into its place, or add it to the grammar of the partner.',
  },
  'segment-missing': {
    title: 'A segment that the document needs is missing.',
    fix: 'Have the sender add it.',
  },
  'segment-repeated': {
    title: 'A segment stands there too often.',
    fix: 'Nothing to do if all of them are meant.',
  },
  'segment-too-large': {
    title: 'A segment is larger than 64 KiB.',
    fix: 'Have the sender end it, or shorten its text.',
  },
  'amount-with-point': {
    title: 'An amount with implied decimals is written with a point.',
    fix: 'Nothing to do if it is right: it was read as written.',
    details: 'TDS01, SAC05 and others count hundredths: 184997 and 1849.97 are both read as 1849.97.',
  },
  'element-too-many': { title: 'A segment has too many elements.', fix: 'Have the sender correct it.' },
  'hierarchy-unclear': {
    title: 'The levels of the document do not say what belongs where.',
    fix: 'Have the sender correct the levels, then send the document again.',
    details:
      'HL, or CPS in EDIFACT. For example, an item stands above several packs, so how many are in each is not said.',
  },
} as const satisfies Record<string, CodeText>

/** Of `edi-partner-unknown`: where the address of the sender belongs. `FILE` stands for the file. */
export function formatUnknownSenderFix(address: string): string {
  return `If you know ${address}, add it to \`ids\` of its partner (\`edi.partners\`). Then: \`dropbridge retake FILE\`.`
}

/** The same where the interchange is for an address that is not ours. */
export function formatUnknownReceiverFix(address: string): string {
  return `If ${address} is you, add it under \`edi.us\`. Then: \`dropbridge retake FILE\`.`
}
