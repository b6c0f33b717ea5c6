/** How much the bench measures: enough for steady figures, or just enough to see that everything works. */

export interface Scale {
  readonly name: 'quick' | 'full'
  readonly translate: { readonly rows: number; readonly rounds: number }
  /** Orders in a file and rounds, for immediate answers and answers after 20 ms, and against the service itself. */
  readonly inbound: {
    readonly orders: number
    readonly slowOrders: number
    readonly serviceOrders: number
    readonly rounds: number
    readonly slowRounds: number
  }
  readonly outbound: { readonly orders: number; readonly rounds: number; readonly verifiedRounds: number }
  /** Rows of the large file, and how many small files are dropped beside it and as many alone. */
  readonly fairness: { readonly rows: number; readonly files: number }
  /** Rows of the files whose memory is measured, smallest first. */
  readonly memory: { readonly inboundRows: readonly number[]; readonly outboundOrders: readonly number[] }
  /** Starts of short commands. */
  readonly start: { readonly rounds: number }
  readonly oldFiles: { readonly files: number; readonly rounds: number }
  /** How many orders the service has, and how many pages a run reads and orders it makes and acknowledges. */
  readonly service: {
    readonly fewOrders: number
    readonly manyOrders: number
    readonly requests: number
    readonly writes: number
    readonly rounds: number
  }
  /** The sizes of interchanges, for ours and for libraries that are slow; and how many orders go through a whole pass. */
  readonly edi: {
    readonly megabytes: number
    readonly peerMegabytes: number
    readonly inboundOrders: number
    /** How many orders an export has, and how many sets are answered by one 997. */
    readonly exportedOrders: number
    readonly answeredSets: number
    /** Records of the exports whose memory is measured, smallest first. */
    readonly memoryRecords: readonly number[]
    /** Sizes of the interchanges whose memory is measured, smallest first. */
    readonly memoryMegabytes: readonly number[]
    readonly rounds: number
  }
  /** Records of the journals whose pages are asked for, at least 50 000; and passes with a console beside them. */
  readonly console: {
    readonly fewRecords: number
    readonly manyRecords: number
    readonly rounds: number
    readonly besideOrders: number
    readonly besideRounds: number
  }
  readonly sftp: { readonly mebibytes: number; readonly rounds: number }
}

export const QUICK: Scale = {
  name: 'quick',
  translate: { rows: 20_000, rounds: 5 },
  inbound: { orders: 3_000, slowOrders: 3_000, serviceOrders: 1_500, rounds: 5, slowRounds: 3 },
  outbound: { orders: 1_000, rounds: 3, verifiedRounds: 1 },
  fairness: { rows: 100_000, files: 25 },
  memory: { inboundRows: [10_000, 100_000], outboundOrders: [] },
  start: { rounds: 5 },
  oldFiles: { files: 20_000, rounds: 3 },
  service: { fewOrders: 10_000, manyOrders: 100_000, requests: 3, writes: 150, rounds: 3 },
  edi: {
    megabytes: 4,
    peerMegabytes: 1,
    inboundOrders: 1_500,
    exportedOrders: 4_000,
    answeredSets: 10_000,
    memoryRecords: [2_000, 20_000],
    memoryMegabytes: [4, 20],
    rounds: 3,
  },
  console: { fewRecords: 50_000, manyRecords: 100_000, rounds: 3, besideOrders: 10_000, besideRounds: 3 },
  sftp: { mebibytes: 16, rounds: 3 },
}

export const FULL: Scale = {
  name: 'full',
  translate: { rows: 100_000, rounds: 9 },
  inbound: { orders: 20_000, slowOrders: 10_000, serviceOrders: 5_000, rounds: 7, slowRounds: 5 },
  outbound: { orders: 5_000, rounds: 5, verifiedRounds: 3 },
  fairness: { rows: 1_000_000, files: 100 },
  memory: { inboundRows: [10_000, 100_000, 1_000_000], outboundOrders: [5_000, 20_000, 60_000] },
  start: { rounds: 15 },
  oldFiles: { files: 100_000, rounds: 7 },
  service: { fewOrders: 10_000, manyOrders: 1_000_000, requests: 8, writes: 1_000, rounds: 9 },
  edi: {
    megabytes: 100,
    peerMegabytes: 5,
    inboundOrders: 10_000,
    exportedOrders: 20_000,
    answeredSets: 100_000,
    memoryRecords: [10_000, 100_000],
    memoryMegabytes: [30, 300],
    rounds: 7,
  },
  console: { fewRecords: 50_000, manyRecords: 1_000_000, rounds: 11, besideOrders: 20_000, besideRounds: 9 },
  sftp: { mebibytes: 128, rounds: 5 },
}
