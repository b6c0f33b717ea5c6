/** The size of the source: a file is one concept, and a folder can be read at a glance. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LONG_FILES } from '../longest-first.ts'
import { groupFiles, listSourceFiles, SHORT_FILE_LINES } from './counts.ts'

const repository = new URL('../..', import.meta.url).pathname

const FILES = 600
/** The console is a program of its own, beside the bridge that the limit above was set for. */
const CONSOLE_FILES = 60
const FILES_IN_A_FOLDER = 40
const SHORT_FILES = 60
const LINES_IN_A_FILE = 450

const files = listSourceFiles()

test(`src has at most ${FILES} files, and the console at most ${CONSOLE_FILES} beside them`, () => {
  const [ofConsole, others] = [true, false].map((isConsole) =>
    files.filter(({ path }) => /^(web|app\/console)\//.test(path) === isConsole),
  )
  expect(others?.length).toBeLessThanOrEqual(FILES)
  expect(ofConsole?.length).toBeLessThanOrEqual(CONSOLE_FILES)
})

test(`no folder of src has more than ${FILES_IN_A_FOLDER} files beside each other`, () => {
  const crowded = [...groupFiles(files)].filter(([, own]) => own.length > FILES_IN_A_FOLDER)
  expect(crowded.map(([folder, own]) => `${folder}: ${own.length}`)).toEqual([])
})

test(`at most ${SHORT_FILES} files of src have fewer than ${SHORT_FILE_LINES} lines`, () => {
  const short = files.filter(({ lines }) => lines < SHORT_FILE_LINES)
  expect(short.length, short.map(({ path }) => path).join(', ')).toBeLessThanOrEqual(SHORT_FILES)
})

test(`no file of src has more than ${LINES_IN_A_FILE} lines`, () => {
  expect(files.filter(({ lines }) => lines > LINES_IN_A_FILE)).toEqual([])
})

test('each built module that a script of the tests imports is made from a file of src', () => {
  const tests = readdirSync(`${repository}test`, { recursive: true, encoding: 'utf8' })
  const scripts = tests.filter((path) => path.endsWith('.mjs'))
  const named = scripts.flatMap((path) => {
    const text = readFileSync(`${repository}test/${path}`, 'utf8')
    return [...text.matchAll(/dist\/([\w/-]+)\.js'/g)].map(([, module = '']) => `src/${module}.ts`)
  })
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((path) => !existsSync(repository + path))).toEqual([])
})

test('each file of tests that begins first because it takes long is there', () => {
  expect(LONG_FILES.filter((path) => !existsSync(`${repository}${path}`))).toEqual([])
})
