/** Who may do what in the console: the roles, and one table of what each of them may do. */

/** From the one who may do least to the one who may do most. */
export const ROLES = ['viewer', 'operator', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** A person who is signed in. */
export interface Person {
  readonly name: string
  readonly role: Role
}

/** The least role of each permission. Every route of the server names one. */
export const PERMISSIONS = {
  /** Needs no sign-in: the sign-in page and the assets. */
  everybody: undefined,
  /** Sees pages. */
  read: 'viewer',
  /** Downloads contents of files, and decides. */
  operate: 'operator',
  /** Sees who may sign in. */
  administer: 'admin',
} as const satisfies Readonly<Record<string, Role | undefined>>

export type Permission = keyof typeof PERMISSIONS

/** Whether a person may use what needs the permission. Undefined: the request is not signed in. */
export function isAllowed(person: Pick<Person, 'role'> | undefined, permission: Permission): boolean {
  const least = PERMISSIONS[permission]
  if (least === undefined) return true
  return person !== undefined && ROLES.indexOf(person.role) >= ROLES.indexOf(least)
}
