const { stripVTControlCharacters } = require('node:util')

/** In the bundle, in place of the package of this name: the help is written in plain letters, each one column wide. */
module.exports = function stringWidth(text) {
  return stripVTControlCharacters(text).length
}
