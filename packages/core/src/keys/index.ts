export { authenticate, type KeyVisitor } from "./authenticate.ts";
export { create, list, revoke } from "./manage.ts";
