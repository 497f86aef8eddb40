import { afterAll, expect, test } from "vitest";
import { setLocale } from "../../i18n/locale.ts";
import { fieldLabel, fieldValue, preconditionLabel } from "./preview-words.ts";

afterAll(() => setLocale("en"));

test("APR-1 OPS-9 what our own previews are frozen with is said in the reader's language; names and values of a call stay as they are", () => {
  setLocale("de");
  expect(fieldLabel("arguments", "sent to (server and address)")).toBe("Gesendet an (Server und Adresse)");
  expect(fieldLabel("arguments", "tool at the server")).toBe("Tool am Server");
  const key = "idempotency_key (set by the platform)";
  expect(fieldLabel("arguments", key)).toBe("idempotency_key (von der Plattform gesetzt)");
  const ours = "the key of this request, so that the server can recognise a repetition";
  expect(fieldValue("arguments", key, ours)).toContain("Schlüssel dieses Antrags");
  // An argument of the same words is the model's, and one that is called like a fact of Git is none.
  expect(fieldValue("arguments", "note", ours)).toBe(ours);
  for (const name of ["target", "branch", "toString", "note"]) expect(fieldLabel("arguments", name)).toBe(name);
  expect(fieldLabel("diff", "target")).toBe("Zielbranch");
  expect(fieldLabel("diff", "tool at the server")).toBe("tool at the server");
  setLocale("en");
  expect(fieldLabel("arguments", "tool at the server")).toBe("Tool at the server");
});

test("APR-3 OPS-9 the preconditions of a call to a server and of a proposal are named in the reader's language", () => {
  setLocale("de");
  expect(["definition", "url", "base"].map(preconditionLabel)).toEqual([
    "Definition des Tools",
    "Adresse des Servers",
    "Basis-Commit",
  ]);
  expect(preconditionLabel("constructor")).toBe("constructor");
});
