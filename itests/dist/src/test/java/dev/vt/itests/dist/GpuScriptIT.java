package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script for machines with a GPU, where there is none: all of it that can run here. */
class GpuScriptIT {
    private static final Path SCRIPT = Path.of("../gpu/run.sh").toAbsolutePath().normalize();

    @TempDir
    Path folder;

    @Test
    @DisplayName(
            "the script for GPUs says in one sentence that there is no driver, with exit code 3, and measures nothing")
    void noDevice() throws IOException {
        Installation vt = Installation.unpack(folder.resolve("home"));
        Path out = folder.resolve("out");
        ProcessBuilder script = script(vt, vt.home().toString(), out.toString());
        script.environment().put("VT_OPTS", "-Dvt.cuda.library=/nowhere/libcuda.so.1");
        Ended ended = vt.run(script).expect(3);
        assertEquals(
                List.of("gpu: there is no CUDA device to measure: no NVIDIA driver: /nowhere/libcuda.so.1 can't be"
                        + " loaded"),
                ended.complaints());
        assertEquals("", ended.out());
        assertTrue(Files.isDirectory(out) && !Files.exists(out.resolve("rows.jsonl")));
    }

    @Test
    @DisplayName("the script for GPUs refuses a folder that is no distribution, and no folder at all, with exit code 2")
    void usage() throws IOException {
        Installation vt = Installation.unpack(folder.resolve("home"));
        Ended none = vt.run(script(vt)).expect(2);
        assertEquals(List.of("gpu: usage: run.sh DIST [OUT [SECTION...]]"), none.complaints());
        Ended wrong = vt.run(script(vt, folder.toString())).expect(2);
        assertEquals(
                List.of("gpu: " + folder + " is no unpacked distribution: bin/vt is not there"), wrong.complaints());
    }

    private static ProcessBuilder script(Installation vt, String... arguments) {
        List<String> line = new ArrayList<>(List.of("bash", SCRIPT.toString()));
        line.addAll(List.of(arguments));
        return vt.process().command(line);
    }
}
