import { expect, test } from "vitest";
import { bodyOf, nameFromUrl, urlFault } from "./wizard-model.ts";

test("SRC-2: an address with credentials is refused before it is sent", () => {
  expect(urlFault("https://user:secret@git.example.org/a.git")).toBe("credentials");
  expect(urlFault("https://user@git.example.org/a.git")).toBe("credentials");
});

test("SRC-3: only web addresses with a path pass the form", () => {
  expect(
    ["", "git@host:a.git", "ftp://host/a", "file:///etc/passwd", "https://", "https://host", "https://host/"].map(
      urlFault,
    ),
  ).toEqual(["required", "invalid", "invalid", "invalid", "invalid", "invalid", "invalid"]);
  expect(urlFault(" https://git.example.org/team/a.git ")).toBeNull();
  expect(urlFault("http://127.0.0.1:3000/a.git")).toBeNull();
});

test("the name is proposed from the address", () => {
  expect(nameFromUrl("https://git.example.org/team/payments-service.git")).toBe("payments-service");
  expect(nameFromUrl("https://git.example.org/team/%E0%A4%A/")).toBe("");
  expect(nameFromUrl("nonsense")).toBe("");
});

test("SRC-2: the token keeps its spaces, empty fields are left out", () => {
  expect(bodyOf({ name: " n ", url: " https://h/a ", branch: " ", username: "", token: " t " })).toEqual({
    kind: "git",
    name: "n",
    url: "https://h/a",
    branch: null,
    username: null,
    token: " t ",
    confirmed: true,
  });
});
