/** Routes that fail are findings like others, and not noted for each channel of notices. */

export const failingRoutes = {
  id: 15,
  name: 'failing routes',
  statements: [`alter table notice_channels drop column failing`],
}
