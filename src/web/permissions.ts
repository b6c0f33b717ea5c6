/** Who may do what in the console: the roles, one table of what each of them may do, and what the configuration takes away. */
import type { Audience } from '../app/console/masks.ts'
import type { ConsoleConfiguration } from '../config/observability.ts'

/** From the one who may do least to the one who may do most. */
export const ROLES = ['viewer', 'operator', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** A person who is signed in. */
export interface Person {
  readonly name: string
  readonly role: Role
}

interface Need {
  /** The least role. */
  readonly role: Role
  /** Something is done, so it needs `console.actions: on`. */
  readonly isAction?: true
  /** Personal data are shown or changed, so the role must see them. */
  readonly showsPersonal?: true
}

/** What each permission needs; `everybody` needs no sign-in. Every route of the server names one. */
export const PERMISSIONS = {
  /** The sign-in page and the assets. */
  everybody: undefined,
  /** Sees pages. */
  read: { role: 'viewer' },
  /** Downloads contents of files. */
  download: { role: 'operator', showsPersonal: true },
  /** Decides. */
  operate: { role: 'operator', isAction: true },
  /** Corrects rows, whose cells are shown. */
  correct: { role: 'operator', isAction: true, showsPersonal: true },
  /** Sees who may sign in. */
  administer: { role: 'admin' },
  /** Has the chain verified. */
  verify: { role: 'admin', isAction: true },
} as const satisfies Readonly<Record<string, Need | undefined>>

export type Permission = keyof typeof PERMISSIONS

type RightsSettings = Pick<
  ConsoleConfiguration,
  'personal' | 'personalFields' | 'hasActions' | 'recordsViews'
>

const DEFAULTS: RightsSettings = {
  personal: { viewer: 'masked', operator: 'shown', admin: 'shown' },
  personalFields: [],
  hasActions: true,
  recordsViews: false,
}

export interface RightsRefusal {
  readonly title: string
  readonly message: string
  readonly fix: string
}

/** The rights of a configuration. */
export function createRights(settings: RightsSettings = DEFAULTS) {
  const { personal, personalFields, hasActions } = settings
  const needOf = (permission: Permission): Need | undefined => PERMISSIONS[permission]
  const mayByRole = (role: Role, { role: least, showsPersonal }: Need) =>
    ROLES.indexOf(role) >= ROLES.indexOf(least) && !(showsPersonal === true && personal[role] === 'masked')
  /** Whether a person may use what needs the permission. Undefined: the request is not signed in. */
  const isAllowed = (person: Pick<Person, 'role'> | undefined, permission: Permission): boolean => {
    const need = needOf(permission)
    if (need === undefined) return true
    return person !== undefined && mayByRole(person.role, need) && (hasActions || need.isAction !== true)
  }
  return {
    isAllowed,
    recordsViews: settings.recordsViews,
    audienceOf: ({ role }: Pick<Person, 'role'>): Audience => ({
      isMasked: personal[role] === 'masked',
      personalFields,
    }),
    /** Why a person may not use what needs the permission, and who may. */
    explain({ role }: Pick<Person, 'role'>, permission: Permission): RightsRefusal {
      const need = needOf(permission)
      const able = ROLES.filter((each) => need === undefined || mayByRole(each, need))
      if (!hasActions && need?.isAction === true) return ONLY_SHOWS
      const [first = 'admin', ...others] = able
      const who = [first, ...others].join(' or ')
      const isHidden = need?.showsPersonal === true && personal[role] === 'masked'
      return {
        title: 'Your role may not do this',
        message: isHidden
          ? `It shows personal data, which are hidden for your role, ${role}.`
          : `Your role is ${role}. This needs the role ${who}.`,
        fix:
          able.length === 0
            ? 'Set `console.personal` so that a role sees personal data.'
            : `Ask a person with the role ${who}.`,
      }
    },
  }
}

const ONLY_SHOWS: RightsRefusal = {
  title: 'This console only shows',
  message: 'Its configuration has `console.actions: off`: no action is taken here, whatever the role.',
  fix: 'Use the command line, or a console with `console.actions: on`.',
}
