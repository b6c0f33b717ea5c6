/** Service segments of EDIFACT: around the messages, and of the acknowledgment CONTRL. */
import type { SegmentDefinition } from '../dictionary.ts'

const ERRORS = {
  2: 'syntax version not supported',
  7: 'receiver is another one',
  12: 'invalid value',
  13: 'missing',
  14: 'not supported here',
  15: 'not allowed here',
  16: 'too many parts',
  17: 'no agreement',
  18: 'unspecified error',
  19: 'invalid decimal mark',
  20: 'character invalid as separator',
  21: 'invalid character',
  22: 'invalid separator',
  23: 'sender unknown',
  24: 'too old',
  25: 'test not supported',
  26: 'duplicate',
  27: 'security not supported',
  28: 'references differ',
  29: 'count differs',
  30: 'messages and groups are mixed',
  32: 'lower level is empty',
  33: 'invalid outside of messages',
  35: 'segment too often',
  36: 'loop too often',
  37: 'invalid kind of character',
  39: 'too long',
  40: 'too short',
}
const ACTIONS = { 4: 'rejected', 7: 'acknowledged', 8: 'received' }
const SYNTAX = ['S001* syntax', '0001* ID 4/4 character set', '0002* AN 1/1 version']
const SENDER = ['S002* sender', '0004* AN 1/35 sender', '0007 ID 1/4 kind of id', '0008 AN 1/35 internal id']
const RECEIVER = [
  'S003* receiver',
  '0010* AN 1/35 receiver',
  '0007 ID 1/4 kind of id',
  '0014 AN 1/35 internal id',
]
const MOMENT = ['S004* moment', '0017* DT 6/8 date', '0019* TM 4/4 time']
const MESSAGE = [
  'S009* message',
  '0065* ID 1/6 type',
  '0052* AN 1/3 version',
  '0054* AN 1/3 release',
  '0051* ID 1/3 agency',
  '0057 AN 1/6 association',
]
const PLACE = ['S011 element', '0098* N0 1/3 element', '0104 N0 1/3 component']

export const EDIFACT_ENVELOPE: Readonly<Record<string, SegmentDefinition>> = {
  UNB: {
    name: 'Interchange header',
    elements: [
      SYNTAX,
      SENDER,
      RECEIVER,
      MOMENT,
      '0020* AN 1/14 control reference',
      ['S005 password', '0022* AN 1/14 password', '0025 ID 2/2 kind of password'],
      '0026 AN 1/14 application reference',
      '0029 ID 1/1 priority',
      '0031 ID 1/1 acknowledgment requested',
      '0032 AN 1/35 agreement',
      '0035 ID 1/1 test',
    ],
    codes: {
      1: {
        UNOA: 'capitals',
        UNOB: 'ASCII',
        UNOC: 'Latin-1',
        UNOD: 'Latin-2',
        UNOE: 'Cyrillic',
        UNOY: 'UTF-8',
      },
      9: { 1: 'yes' },
      11: { 1: 'yes' },
    },
  },
  UNG: {
    name: 'Group header',
    elements: [
      '0038* ID 1/6 group code',
      ['S006* sender', '0040* AN 1/35 sender', '0007 ID 1/4 kind of id'],
      ['S007* receiver', '0044* AN 1/35 receiver', '0007 ID 1/4 kind of id'],
      MOMENT,
      '0048* AN 1/14 group reference',
      '0051* ID 1/3 agency',
      ['S008* version', '0052* AN 1/3 version', '0054* AN 1/3 release', '0057 AN 1/6 association'],
      '0058 AN 1/14 password',
    ],
  },
  UNH: {
    name: 'Message header',
    elements: [
      '0062* AN 1/14 message reference',
      MESSAGE,
      '0068 AN 1/35 access reference',
      ['S010 transfer', '0070* N0 1/2 sequence', '0073 ID 1/1 first or last'],
    ],
  },
  UNS: {
    name: 'End of a section',
    elements: ['0081* ID 1/1 section'],
    codes: { 1: { D: 'header ends', S: 'lines end' } },
  },
  UNT: {
    name: 'Message trailer',
    elements: ['0074* N0 1/10 number of segments', '0062* AN 1/14 message reference'],
  },
  UNE: {
    name: 'Group trailer',
    elements: ['0060* N0 1/6 number of messages', '0048* AN 1/14 group reference'],
  },
  UNZ: {
    name: 'Interchange trailer',
    elements: ['0036* N0 1/6 number of messages or groups', '0020* AN 1/14 control reference'],
  },
  UCI: {
    name: 'Verdict on an interchange',
    elements: [
      '0020* AN 1/14 control reference',
      SENDER,
      RECEIVER,
      '0083* ID 1/1 action',
      '0085 ID 1/3 error',
      '0135 AN 3/3 segment',
      PLACE,
    ],
    codes: { 4: ACTIONS, 5: ERRORS },
  },
  UCF: {
    name: 'Verdict on a group',
    elements: [
      '0048* AN 1/14 group reference',
      ['S006* sender', '0040* AN 1/35 sender', '0007 ID 1/4 kind of id'],
      ['S007* receiver', '0044* AN 1/35 receiver', '0007 ID 1/4 kind of id'],
      '0083* ID 1/1 action',
      '0085 ID 1/3 error',
      '0135 AN 3/3 segment',
      PLACE,
    ],
    codes: { 4: ACTIONS, 5: ERRORS },
  },
  UCM: {
    name: 'Verdict on a message',
    elements: [
      '0062* AN 1/14 message reference',
      MESSAGE,
      '0083* ID 1/1 action',
      '0085 ID 1/3 error',
      '0135 AN 3/3 segment',
      PLACE,
    ],
    codes: { 3: ACTIONS, 4: ERRORS },
  },
  UCS: {
    name: 'Segment with errors',
    elements: ['0096* N0 1/6 position in the message', '0085 ID 1/3 error'],
    codes: { 2: ERRORS },
  },
  UCD: { name: 'Element with errors', elements: ['0085* ID 1/3 error', PLACE], codes: { 1: ERRORS } },
}
