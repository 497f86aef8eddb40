import { z } from "zod";
import type { JsonObject, JsonValue, ToolDefinition } from "@aiw/contract/tools";
import { Refusal } from "./failure.ts";

const source = z
  .string()
  .max(200)
  .describe("Name of the source; only needed when the workspace has several Git repositories.")
  .optional();
const path = z.string().min(1).max(1024);

export const listDirArgs = z.strictObject({
  path: z
    .string()
    .max(1024)
    .describe("Directory, relative to the root of the repository; empty for the root.")
    .optional(),
  depth: z.int().min(1).max(5).describe("How many levels to list (default 1).").optional(),
  source,
});

export const readFileArgs = z.strictObject({
  path: path.describe("File, relative to the root of the repository."),
  start_line: z.int().min(1).describe("First line, counted from 1.").optional(),
  end_line: z.int().min(1).describe("Last line, included.").optional(),
  source,
});

export const searchArgs = z.strictObject({
  pattern: z.string().min(1).max(1000).describe("Text to find in a line, or a regular expression with regex=true."),
  regex: z.boolean().describe("Take the pattern as a JavaScript regular expression (default false).").optional(),
  path_glob: z
    .string()
    .min(1)
    .max(512)
    .describe("Only files whose path fits, for example src/**/*.ts; without a slash it fits the file name anywhere.")
    .optional(),
  context_lines: z.int().min(0).max(10).describe("Lines to show around each hit (default 0).").optional(),
  case_sensitive: z.boolean().describe("Default false.").optional(),
  max_results: z.int().min(1).max(500).describe("Default 100.").optional(),
  source,
});

const fileChange = z.union([
  z.strictObject({ path, content: z.string().describe("The whole new content of a new or existing file.") }),
  z.strictObject({
    path,
    replacements: z
      .array(
        z.strictObject({
          find: z.string().min(1).describe("Text that occurs exactly once in the file."),
          replace: z.string(),
        }),
      )
      .min(1)
      .max(100),
  }),
  z.strictObject({ path, delete: z.literal(true) }),
]);
export type FileChangeArgs = z.infer<typeof fileChange>;

export const proposeChangeArgs = z.strictObject({
  title: z
    .string()
    .min(1)
    .max(120)
    .describe("One line that says what the change does; first line of the commit message."),
  description: z.string().max(5000).describe("Why, and what was considered."),
  files: z.array(fileChange).min(1).max(100).describe("The changed files; give either files or patch.").optional(),
  patch: z.string().min(1).describe("A unified diff against the commit that the reading tools show.").optional(),
  source,
});
export type ProposeChangeArgs = z.infer<typeof proposeChangeArgs>;

const schemaOf = (schema: z.ZodType): JsonObject => {
  // The text form drops what is no JSON, so that what is hashed and what is sent are the same.
  const plain: unknown = JSON.parse(JSON.stringify(z.toJSONSchema(schema)));
  return isJsonObject(plain) ? plain : {};
};

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const GIT_TOOLS: readonly ToolDefinition[] = [
  {
    id: "git.list_dir",
    wireName: "git_list_dir",
    description: "Lists a directory of the connected Git repository at the commit this run reads.",
    parameters: schemaOf(listDirArgs),
    suggestedRiskClass: "read",
    reconcile: "probe",
  },
  {
    id: "git.read_file",
    wireName: "git_read_file",
    description: "Reads a text file of the connected Git repository with line numbers. Long files come in parts.",
    parameters: schemaOf(readFileArgs),
    suggestedRiskClass: "read",
    reconcile: "probe",
  },
  {
    id: "git.search",
    wireName: "git_search",
    description: "Searches the text files of the connected Git repository line by line; answers path:line: text.",
    parameters: schemaOf(searchArgs),
    suggestedRiskClass: "read",
    reconcile: "probe",
  },
  {
    id: "git.propose_change",
    wireName: "propose_change",
    description:
      "Proposes a change to the connected Git repository. A person sees the exact diff and decides; once approved it is " +
      "pushed as one commit on a new branch ai/..., never on an existing one. Give either files or patch.",
    parameters: schemaOf(proposeChangeArgs),
    suggestedRiskClass: "write_external",
    reconcile: "probe",
  },
];

/** Checks arguments against their schema. @throws Refusal with the first fault, worded for the model. */
export const readArgs = <T>(schema: z.ZodType<T>, args: JsonValue): T => {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Refusal(`The arguments are not valid: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`.trim());
};
