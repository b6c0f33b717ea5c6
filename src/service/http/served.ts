/** Everything the service serves: the API of the contract and its own administration. */
import { type Endpoint, type EndpointName, ENDPOINTS } from '../../contract/endpoints.ts'
import { ADMIN_ENDPOINTS, type AdminEndpointName } from '../admin/endpoints.ts'

/** `admin` endpoints are for callers whose account is an administrator's. */
export type ServedEndpoint = Omit<Endpoint, 'context'> & { readonly context: Endpoint['context'] | 'admin' }

export type ServedName = EndpointName | AdminEndpointName

export const SERVED: Readonly<Record<ServedName, ServedEndpoint>> = { ...ENDPOINTS, ...ADMIN_ENDPOINTS }

export const SERVED_NAMES = Object.keys(SERVED) as readonly ServedName[]
