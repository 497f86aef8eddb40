export { list, listPlatform } from "./list.ts";
export { create, createPlatform, remove, removePlatform, update, updatePlatform } from "./save.ts";
export { tryIt, tryPlatform } from "./trial.ts";
export { platformWriteStop, setPlatformWriteStop, setWriteStop, writeStop } from "./write-stop.ts";
